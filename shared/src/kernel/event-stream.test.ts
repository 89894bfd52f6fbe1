import { expect, test } from 'vitest';
import { readEvent } from './event-stream.ts';

test('an event is read by its lines', () => {
  expect(readEvent('id: 7\nevent: log\ndata: {"text":"a: b"}')).toEqual({
    id: '7',
    name: 'log',
    data: { text: 'a: b' },
  });
  expect(readEvent('event: hb\ndata: {"now":1}')).toEqual({ name: 'hb', data: { now: 1 } });
});
