import { describe, expect, test, vi } from 'vitest';
import { createAccessWatch } from './access-watch.ts';

const jwtOf = (claims: object): string =>
  `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;

function open(jwt = jwtOf({ exp: 100 }), nowMs = 0) {
  const onEnd = vi.fn();
  return { ...createAccessWatch({ right: () => jwt, now: () => nowMs, onEnd }), onEnd };
}

describe('the access of a machine', () => {
  test('ends at the first refusal after the end of its right', () => {
    const { note, onEnd } = open(undefined, 100_000);
    note('denied');
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('away for longer'));
  });

  test('ends with the third refusal in a row before that, once', () => {
    const { note, onEnd } = open();
    for (const state of ['denied', 'denied', 'connected', 'denied', 'disconnected', 'denied'] as const) note(state);
    expect(onEnd).not.toHaveBeenCalled();
    note('denied');
    note('denied');
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('NATS refuses'));
  });

  test('does not end while NATS is only away', () => {
    const { note, onEnd } = open(undefined, 100_000);
    for (const state of ['unreachable', 'disconnected', 'slow', 'closed'] as const) note(state);
    expect(onEnd).not.toHaveBeenCalled();
  });

  test.each([['damaged'], [jwtOf({})]])('does not take a right without an end for an ended one: %s', (jwt) => {
    const { note, onEnd } = open(jwt, Number.MAX_SAFE_INTEGER);
    note('denied');
    expect(onEnd).not.toHaveBeenCalled();
  });

  test('ends with the word of the server', () => {
    const { noteRevoked, onEnd } = open();
    noteRevoked();
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('was revoked'));
  });
});
