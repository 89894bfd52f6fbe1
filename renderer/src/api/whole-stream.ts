import { createEventParser } from '#shared/kernel/event-stream';
import { ApiError, OfflineError } from './client.ts';

type StreamOptions = {
  url: string;
  /** Id of the last event that is known; empty for none. */
  after: string;
  signal: AbortSignal;
  onEvent: (name: string, data: unknown, id: string) => void;
};

/** Yields to the main thread between two chunks, so that a long stream does not freeze the page. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/**
 * Reads a stream of events that the server ends, as fast as it arrives: several times faster than handling it event by
 * event. Throws the refusal of the server, or `OfflineError` when the connection broke; `after` resumes it.
 */
export async function readWholeStream({ url, after, signal, onEvent }: StreamOptions): Promise<void> {
  const lost = (): never => {
    throw new OfflineError();
  };
  const headers = { accept: 'text/event-stream', ...(after !== '' && { 'last-event-id': after }) };
  const answer = await fetch(url, { credentials: 'same-origin', headers, signal }).catch(lost);
  if (!answer.ok || !answer.body) {
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    throw new ApiError(answer.status, error);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let isEnded = false;
  const parser = createEventParser(({ event, data, id }) => {
    if (event === 'end') isEnded = true;
    // A heartbeat has no id.
    if (event !== undefined && id !== undefined) onEvent(event, JSON.parse(data), id);
  });
  for (;;) {
    const { value, done } = await reader.read().catch(lost);
    if (done) break;
    parser.feed(value);
    await pause();
    if (signal.aborted) return;
  }
  if (!isEnded) lost();
}
