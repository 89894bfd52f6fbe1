import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bindReturn, findReturn, keepReturn, markFollowed, settleReturn } from './returns.ts';
import { keepLink, takeLink } from './saved-link.ts';

/** Minimal storage for the tests. */
function createStore() {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

let store: ReturnType<typeof createStore>;
beforeEach(() => {
  store = createStore();
  vi.stubGlobal('localStorage', store);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const notes = { product: 'notes', uri: 'notes://done' };
const day = 24 * 60 * 60 * 1_000;

test('finds a return target by its Capsule, for the first apply that succeeds', () => {
  keepReturn('gip_1', notes);
  expect(findReturn('cap_1')).toBeUndefined();
  bindReturn('gip_1', 'cap_1');
  bindReturn('gip_1', 'cap_2');
  expect([findReturn('cap_1')?.uri, findReturn('cap_2')]).toEqual(['notes://done', undefined]);
  settleReturn('cap_1', 'apply_1');
  settleReturn('cap_1', 'apply_2');
  expect(findReturn('cap_1')).toMatchObject({ runId: 'apply_1' });
  markFollowed('cap_1');
  expect(findReturn('cap_1')).toMatchObject({ isFollowed: true, runId: 'apply_1' });
});

test('keeps the newest fifty return targets for thirty days', () => {
  keepReturn('gip_1', notes);
  bindReturn('gip_1', 'cap_1');
  vi.advanceTimersByTime(30 * day - 1);
  expect(findReturn('cap_1')).toBeDefined();
  vi.advanceTimersByTime(1);
  expect(findReturn('cap_1')).toBeUndefined();
  for (let index = 0; index < 51; index += 1) {
    keepReturn(`gip_${index}`, notes);
    bindReturn(`gip_${index}`, `cap_${index}`);
  }
  expect([findReturn('cap_0'), findReturn('cap_1')?.installPlanId]).toEqual([undefined, 'gip_1']);
});

test('ignores entries in the store that another script wrote', () => {
  const one = { ...notes, installPlanId: 'gip_1', capsuleId: 'cap_1', at: Date.now() };
  for (const stored of ['{', 'null', '{}', '[null]', '[1]', JSON.stringify([{ ...one, uri: 'javascript://x' }])]) {
    store.setItem('install.returns', stored);
    expect([stored, findReturn('cap_1')]).toEqual([stored, undefined]);
  }
  store.setItem('install.returns', JSON.stringify([{ ...one, product: 'No' }, null, one]));
  expect(findReturn('cap_1')).toEqual(one);
});

test('keeps a link for an hour until sign-in, and returns it once', () => {
  const search = '?git=https%3A%2F%2Fexample.com%2Fr&name=x';
  expect(keepLink({ pathname: '/new', search })).toBe(true);
  vi.advanceTimersByTime(60 * 60 * 1_000);
  expect([takeLink(), takeLink()]).toEqual([`/new${search}`, undefined]);
  keepLink({ pathname: '/new', search });
  vi.advanceTimersByTime(60 * 60 * 1_000 + 1);
  expect(takeLink()).toBeUndefined();
});

test('saves only a valid link, and validates it again when it is taken', () => {
  for (const [pathname, search] of [
    ['/new', ''],
    ['/new', '?url=https://example.com/r'],
    ['/new', '?git=http://example.com/r'],
    ['/runs', '?git=https://example.com/r'],
  ] as const)
    expect([search, keepLink({ pathname, search })]).toEqual([search, false]);
  for (const stored of ['{', 'null', '1', '{"query":"x=1","at":0}', `{"query":"/evil","at":${Date.now()}}`]) {
    store.setItem('install.link', stored);
    expect([stored, takeLink()]).toEqual([stored, undefined]);
  }
});

test('loses only the return target when storage is not available', () => {
  store.setItem = () => {
    throw new Error('full');
  };
  expect(keepLink({ pathname: '/new', search: '?git=https://example.com/r' })).toBe(false);
  expect(() => keepReturn('gip_1', notes)).not.toThrow();
});
