import { afterEach, expect, test, vi } from 'vitest';
import { OfflineError } from './client.ts';
import { readWholeStream } from './whole-stream.ts';

afterEach(() => vi.unstubAllGlobals());

/** Reads an answer in these pieces. */
async function read(pieces: readonly string[]): Promise<{ events: unknown[]; error?: unknown }> {
  vi.stubGlobal('fetch', async () => new Response(new Blob([...pieces]).stream()));
  const events: unknown[] = [];
  const { signal } = new AbortController();
  const reading = readWholeStream({ url: '/', after: '', signal, onEvent: (...event) => events.push(event) });
  return reading.then(
    () => ({ events }),
    (error: unknown) => ({ events, error }),
  );
}

test('emits every event up to the end, and no heartbeat', async () => {
  const log = 'event: hb\ndata: {"now":1}\n\nid: 1\nevent: log\ndata: {"text":"ä"}\n\n';
  expect(await read([log, 'id: 1\nevent: end\ndata: {}\n\n'])).toEqual({
    events: [
      ['log', { text: 'ä' }, '1'],
      ['end', {}, '1'],
    ],
  });
});

test('reports a broken connection when the stream stops before its end', async () => {
  expect(await read(['id: 1\nevent: log\ndata: {}\n\nid: 2\nevent: log\ndata: {'])).toEqual({
    events: [['log', {}, '1']],
    error: expect.any(OfflineError),
  });
});
