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
  let rest = '';
  let isEnded = false;
  for (;;) {
    const { value, done } = await reader.read().catch(lost);
    if (done) break;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) isEnded = give(block, onEvent) || isEnded;
    await pause();
    if (signal.aborted) return;
  }
  if (!isEnded) lost();
}

/** Emits one event and returns whether it is the last one. A heartbeat has no id and is skipped. */
function give(block: string, onEvent: StreamOptions['onEvent']): boolean {
  const { name, data, id } = readBlock(block);
  if (id !== '') onEvent(name, JSON.parse(data), id);
  return name === 'end';
}

/** Parses one event from its lines: `id`, `event` and `data`, each at most once. */
function readBlock(block: string): { name: string; data: string; id: string } {
  const fields = { name: '', data: '', id: '' };
  for (const line of block.split('\n')) {
    if (line.startsWith('data: ')) fields.data = line.slice(6);
    else if (line.startsWith('event: ')) fields.name = line.slice(7);
    else if (line.startsWith('id: ')) fields.id = line.slice(4);
  }
  return fields;
}
