import { readStream } from '#shared/kernel/event-stream';
import { ApiError, errorOf, isStopped, type Send } from './request.ts';
import type { EventsOptions, RunEvent } from './surface.ts';

const waits = [500, 1_000, 2_000, 5_000, 10_000];
/** Consecutive attempts without an answer; about a minute and a half. */
const maxFailures = 12;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });

type Line = { address: string; last: string | undefined; signal: AbortSignal | undefined };

/** The events of one connection, until it breaks or becomes silent. */
const readLine = (send: Send, { address, last, signal }: Line): AsyncGenerator<RunEvent> =>
  readStream({
    signal,
    open: async (either) => {
      const resumeHeaders: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
      const answer = await send(address, {
        headers: { accept: 'text/event-stream', ...resumeHeaders },
        signal: either,
      });
      if (answer.status !== 200 || !answer.body) throw errorOf(answer.status, await answer.text());
      return answer.body;
    },
  });

/** The same, where a broken connection ends the events without an error; a refusal of the server is an error. */
async function* readUntilLost(send: Send, line: Line, mayFail: boolean): AsyncGenerator<RunEvent> {
  try {
    yield* readLine(send, line);
  } catch (error) {
    if (error instanceof ApiError || !mayFail) throw error;
  }
}

/** The events of a Run, each once, from the first or after a position to its end. A broken connection is reopened. */
export async function* readRunEvents(
  send: Send,
  runId: string,
  { after, kinds, signal }: EventsOptions = {},
): AsyncGenerator<RunEvent> {
  const search = kinds ? `?${new URLSearchParams({ kinds: [...kinds, 'end', 'hb'].join(',') })}` : '';
  const address = `/api/v1/runs/${encodeURIComponent(runId)}/events${search}`;
  let last = after === undefined ? undefined : String(after);
  for (let failures = 0; !isStopped(signal); failures += 1) {
    for await (const event of readUntilLost(send, { address, last, signal }, failures < maxFailures)) {
      failures = 0;
      last = event.id ?? last;
      if (event.name !== 'hb') yield event;
      if (event.name === 'end') return;
    }
    await pause(waits[Math.min(failures, waits.length - 1)] ?? 0, signal);
  }
}
