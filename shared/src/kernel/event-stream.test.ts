import { expect, test } from 'vitest';
import { readStream, type StreamEvent } from './event-stream.ts';

/** Returns a stream of these pieces, each sent when the one before was read. */
const streamOf = (pieces: Iterable<string>): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const texts = pieces[Symbol.iterator]();
  return new ReadableStream<string>({
    pull(controller) {
      const { value, done } = texts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }).pipeThrough(new TextEncoderStream());
};

async function collect(pieces: Iterable<string>, lost?: (error: unknown) => never): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  const open = async () => streamOf(pieces);
  for await (const event of readStream({ open, signal: undefined, ...(lost && { lost }) })) events.push(event);
  return events;
}

function* endless(first: string, piece: string): Generator<string> {
  yield first;
  for (;;) yield piece;
}

test('an event has its data, and an id where it has a position', async () => {
  expect(await collect(['id: 7\nevent: log\ndata: {"text":"a: b"}\n\nevent: hb\nda', 'ta: {"now":1}\n\n'])).toEqual([
    { id: '7', name: 'log', data: { text: 'a: b' } },
    { name: 'hb', data: { now: 1 } },
  ]);
});

test('an event that was cut off is dropped', async () => {
  expect(await collect(['id: 7\nevent: log\ndata: {"text"'])).toEqual([]);
});

test.each([
  ['line', 'x'.repeat(65_536)],
  ['event', `${'data: x'.repeat(9_000)}\n`],
])('a stream that never ends a %s is lost', async (_, piece) => {
  const lost = (error: unknown): never => {
    throw new Error('lost', { cause: error });
  };
  const events = collect(endless('data: ', piece), lost);
  await expect(events).rejects.toMatchObject({ message: 'lost', cause: { type: 'max-buffer-size-exceeded' } });
});

test('a long event is read whole, and many events in one piece are not too long', async () => {
  const long = JSON.stringify({ text: 'x'.repeat(500_000) });
  const events = await collect([`data: ${long}\n\n`.repeat(5)]);
  expect(events.map(({ data }) => String(data['text']).length)).toEqual(Array.from({ length: 5 }, () => 500_000));
});
