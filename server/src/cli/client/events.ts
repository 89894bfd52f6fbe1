import { setTimeout as sleep } from 'node:timers/promises';
import { readStream, type StreamEvent } from '#shared/kernel/event-stream';
import { failed } from '../exit-codes.ts';
import { LineError } from '../line-error.ts';
import { asLineError, backoffMs, refusalOf } from './line.ts';
import type { Server } from './server.ts';

/** One event of a Run's stream. */
export type RunEvent = Omit<StreamEvent, 'id'>;
type FollowEventsInput = {
  server: Pick<Server, 'location' | 'getToken'>;
  runId: string;
  kinds: readonly string[];
  signal: AbortSignal;
  /** Called once each time the connection is lost. */
  onLost: () => void;
};

const awayMs = 300_000;

/**
 * Yields the events of a Run from its first item to its end, each once. After a lost connection it continues behind the
 * last received event (`Last-Event-ID`). Throws `no_server` when the server stays unreachable for five minutes.
 */
export async function* followEvents({ onLost, ...input }: FollowEventsInput): AsyncGenerator<RunEvent> {
  let last: string | undefined;
  let lastReceivedAt = performance.now();
  for (let tries = 0; ; tries += 1) {
    for await (const { id, ...event } of untilLost(openStream({ ...input, last }))) {
      lastReceivedAt = performance.now();
      tries = 0;
      last = id ?? last;
      if (event.name !== 'hb') yield event;
      if (event.name === 'end') return;
    }
    if (performance.now() - lastReceivedAt > awayMs)
      throw failed('no_server', `The server is away. ${takeUp(input.runId)}`);
    if (tries === 0) onLost();
    await sleep(backoffMs(tries), undefined, { signal: input.signal });
  }
}

/** Yields the items of a stream and ends quietly when the connection is lost. */
async function* untilLost<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
  }
}

const takeUp = (runId: string): string =>
  `The Run continues without this command. Read it with: groundctl logs -f ${runId}`;

type Stream = Omit<FollowEventsInput, 'onLost'> & { last: string | undefined };

const openStream = ({ server, runId, kinds, signal, last }: Stream): AsyncGenerator<StreamEvent> => {
  const lost = (error: unknown) => asLineError(error, signal);
  const open = async (either: AbortSignal) => {
    const query = new URLSearchParams({ kinds: [...kinds, 'end', 'hb'].join(',') });
    const url = `${server.location.origin()}/api/v1/runs/${encodeURIComponent(runId)}/events?${query}`;
    const headers = {
      authorization: `Bearer ${await server.getToken()}`,
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
    };
    const answer = await fetch(url, { headers, redirect: 'manual', signal: either }).catch(lost);
    if (answer.status !== 200 || !answer.body) throw refusalOf(answer.status, await answer.text().catch(lost));
    return answer.body;
  };
  return readStream({ open, signal, lost });
};
