import { limits } from '../limits.ts';

/** One event of a live stream. Heartbeats (`hb`) and the end have no place, so no `id`. */
export type StreamEvent = { id?: string; name: string; data: Record<string, unknown> };

/** One event as its lines say: `id`, `event` and `data`, each at most once. */
export function readEvent(block: string): StreamEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const id = fields.get('id');
  return {
    name: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? '{}') as StreamEvent['data'],
    ...(id !== undefined && { id }),
  };
}

/** A stream that says nothing for three heartbeats is dead, whatever the network says. */
const silentMs = 3 * limits.sseHeartbeatSeconds * 1_000;

type Line = {
  /** Asks for the stream; what it answers is read to its end, or until the signal aborts. */
  open: (signal: AbortSignal) => Promise<NonNullable<Response['body']>>;
  signal: AbortSignal | undefined;
  /** Throws what is thrown when the line breaks off or falls silent; without it, as the platform says. */
  lost?: (error: unknown) => never;
};

/** The events of one connection, until it ends, breaks off or falls silent. */
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
