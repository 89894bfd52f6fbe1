import { limits } from '../limits.ts';

/** One event of a live stream. Heartbeats (`hb`) and `end` have no position, so no `id`. */
export type StreamEvent = { id?: string; name: string; data: Record<string, unknown> };

/** One event as its lines give it: `id`, `event` and `data`, each at most once. */
export function readEvent(block: string): StreamEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const id = fields.get('id');
  return {
    name: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? '{}') as StreamEvent['data'],
    ...(id !== undefined && { id }),
  };
}

/** A stream without data for three heartbeats counts as dead, whatever the network reports. */
const silentMs = 3 * limits.sseHeartbeatSeconds * 1_000;

type Line = {
  /** Requests the stream. The response is read to its end, or until the signal aborts. */
  open: (signal: AbortSignal) => Promise<NonNullable<Response['body']>>;
  signal: AbortSignal | undefined;
  /** Throws the error for a connection that breaks or falls silent; without it, the platform's error is thrown. */
  lost?: (error: unknown) => never;
};

/** Yields the events of one connection, until it ends, breaks or falls silent. */
export async function* readStream({ open, signal, lost = rethrow }: Line): AsyncGenerator<StreamEvent> {
  const gone = new AbortController();
  const either = signal ? AbortSignal.any([signal, gone.signal]) : gone.signal;
  let timer = setTimeout(() => gone.abort(), silentMs);
  try {
    const body = await open(either);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read().catch(lost);
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => gone.abort(), silentMs);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks.map(readEvent);
    }
  } finally {
    clearTimeout(timer);
    gone.abort();
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};
