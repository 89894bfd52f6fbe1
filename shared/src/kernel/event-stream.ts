import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { limits } from '../limits.ts';

/** One event of a live stream. Heartbeats (`hb`) and `end` have no position, so no `id`. */
export type StreamEvent = { id?: string; name: string; data: Record<string, unknown> };

/** Longest event of a stream, in characters. The largest event that the server sends has less than half of it. */
const maxEventLength = 1_048_576;

/**
 * Creates a parser of server-sent events (HTML Living Standard, 9.2). `feed` takes the text as it arrives, and throws
 * `ParseError` when an event exceeds 1 MiB, so that a stream that never ends a line does not fill the memory.
 */
export const createEventParser = (onEvent: (event: EventSourceMessage) => void) =>
  createParser({
    onEvent,
    maxBufferSize: maxEventLength,
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });

/** A stream without data for three heartbeats counts as dead, whatever the network reports. */
const silentMs = 3 * limits.sseHeartbeatSeconds * 1_000;

type Line = {
  /** Requests the stream. The response is read to its end, or until the signal aborts. */
  open: (signal: AbortSignal) => Promise<NonNullable<Response['body']>>;
  signal: AbortSignal | undefined;
  /**
   * Throws the error for a connection that breaks, falls silent or sends an event that is too long; without it, the
   * original error is thrown.
   */
  lost?: (error: unknown) => never;
};

/** Yields the events of one connection, until it ends, breaks or falls silent. */
export async function* readStream({ open, signal, lost = rethrow }: Line): AsyncGenerator<StreamEvent> {
  const gone = new AbortController();
  const either = signal ? AbortSignal.any([signal, gone.signal]) : gone.signal;
  let timer = setTimeout(() => gone.abort(), silentMs);
  const messages: EventSourceMessage[] = [];
  const parser = createEventParser((message) => messages.push(message));
  try {
    const body = await open(either);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read().catch(lost);
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => gone.abort(), silentMs);
      try {
        parser.feed(value);
      } catch (error) {
        lost(error);
      }
      yield* messages.splice(0).map(toStreamEvent);
    }
  } finally {
    clearTimeout(timer);
    gone.abort();
  }
}

const toStreamEvent = ({ event = 'message', data, id }: EventSourceMessage): StreamEvent => ({
  name: event,
  data: JSON.parse(data) as StreamEvent['data'],
  ...(id !== undefined && { id }),
});

const rethrow = (error: unknown): never => {
  throw error;
};
