import { describe, expect, test } from 'vitest';
import type { State } from '#server/drivers/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { FeedItem } from '#shared/runs/feed';
import { findOrphans, type Living, livingIn, type Orphan, orphanItems, type Planned, unfinishedIn } from './orphans.ts';

const planned = (address: string, more: Partial<Planned> = {}): Planned => ({
  address,
  mode: 'managed',
  type: address.split('.').at(-2) ?? '',
  actions: ['create'],
  after: { name: address },
  ...more,
});
const reportsOf = (address: string, ...states: string[]) =>
  states.map((state) => ({ address, action: 'create', state: state as string }));
const living = (objects: { [address: string]: Json } = {}): Living =>
  new Map(Object.entries(objects).map(([address, attributes]) => [address, [attributes]]));
const grades = (orphans: readonly Orphan[]) => orphans.map(({ address, grade }) => `${address} ${grade}`);

type Question = Parameters<typeof findOrphans>[0];
const findGrades = (more: Partial<Question>) =>
  grades(
    findOrphans({
      planned: [planned('x.a')],
      reported: [],
      before: living(),
      after: living(),
      isContinuous: true,
      ...more,
    }),
  );
const created = { id: 'new' };
const old = { id: 'old', size: 1 };
const replace: Partial<Planned> = { actions: ['delete', 'create'] };
const isReplaced = { planned: [planned('x.a', replace)], before: living({ 'x.a': old }) };

describe('resources that may exist and are in no state', () => {
  const cases: [string, Partial<Question>, string[]][] = [
    ['was started and never reported again', { reported: reportsOf('x.a', 'started') }, ['x.a started']],
    ['was reported as created', { reported: reportsOf('x.a', 'started', 'completed') }, ['x.a completed']],
    ['failed', { reported: reportsOf('x.a', 'started', 'errored') }, ['x.a errored']],
    [
      'was reported as created by an event without a start',
      { reported: reportsOf('x.a', 'completed') },
      ['x.a completed'],
    ],
    ['failed and was started again', { reported: reportsOf('x.a', 'started', 'errored', 'started') }, ['x.a errored']],
    ['was not started', {}, []],
    ['was not reported by a stream with a gap', { isContinuous: false }, ['x.a possible']],
    [
      'was started in a stream with a gap',
      { isContinuous: false, reported: reportsOf('x.a', 'started') },
      ['x.a started'],
    ],
    ['is in the state', { reported: reportsOf('x.a', 'started'), after: living({ 'x.a': created }) }, []],
    ['is in the state after a gap', { isContinuous: false, after: living({ 'x.a': created }) }, []],
    [
      'is another instance than the one in the state',
      { reported: reportsOf('x.a', 'started'), after: living({ 'x.b': created }) },
      ['x.a started'],
    ],
    [
      'is only updated, destroyed, read or forgotten',
      {
        isContinuous: false,
        planned: [
          planned('x.u', { actions: ['update'] }),
          planned('x.d', { actions: ['delete'] }),
          planned('x.f', { actions: ['forget'] }),
          planned('x.n', { actions: ['no-op'] }),
          planned('data.x.r', { mode: 'data', actions: ['read'] }),
        ],
      },
      [],
    ],
    [
      'replaces what the state still holds',
      { ...isReplaced, reported: reportsOf('x.a', 'started'), after: living({ 'x.a': old }) },
      ['x.a started'],
    ],
    [
      'replaces what no longer exists',
      { ...isReplaced, reported: reportsOf('x.a', 'started'), after: living() },
      ['x.a started'],
    ],
    ['replaces what was not touched', { ...isReplaced, after: living({ 'x.a': old }) }, []],
    [
      'has replaced it in the state',
      { ...isReplaced, reported: reportsOf('x.a', 'started'), after: living({ 'x.a': created }) },
      [],
    ],
    [
      'replaces what was only refreshed',
      { ...isReplaced, reported: reportsOf('x.a', 'started'), after: living({ 'x.a': { ...old, size: 2 } }) },
      ['x.a started'],
    ],
    [
      'has replaced it under the same id',
      {
        ...isReplaced,
        reported: reportsOf('x.a', 'started', 'completed'),
        after: living({ 'x.a': { ...old, size: 2 } }),
      },
      [],
    ],
    [
      'replaces an object that was moved here and still exists',
      {
        planned: [planned('x.a', { ...replace, previousAddress: 'x.was' })],
        before: living({ 'x.was': old }),
        reported: reportsOf('x.a', 'started'),
        after: living({ 'x.a': old }),
      },
      ['x.a started'],
    ],
    [
      'is only destroyed by half of a replace',
      {
        ...isReplaced,
        reported: [{ address: 'x.a', action: 'delete', state: 'started' }],
        after: living({ 'x.a': old }),
      },
      [],
    ],
    [
      'has a hidden key, one of two',
      {
        planned: [planned('x.k["[redacted]"]'), planned('x.k["[redacted]"]')],
        reported: reportsOf('x.k["[redacted]"]', 'started'),
        after: living({ 'x.k["[redacted]"]': created }),
      },
      ['x.k["[redacted]"] started'],
    ],
  ];
  test.each(cases)('%s', (_name, question, expected) => expect(findGrades(question)).toEqual(expected));

  test('is listed with the most certain first', () => {
    const names = ['x.p', 'x.e', 'x.c', 'x.t', 'x.s'];
    const events = [
      ...reportsOf('x.e', 'errored'),
      ...reportsOf('x.c', 'completed'),
      ...reportsOf('x.t', 'started'),
      ...reportsOf('x.s', 'started'),
    ];
    expect(findGrades({ isContinuous: false, planned: names.map((name) => planned(name)), reported: events })).toEqual([
      'x.s started',
      'x.t started',
      'x.c completed',
      'x.e errored',
      'x.p possible',
    ]);
  });
});

describe('the import block', () => {
  const blockOf = (more: Partial<Planned>, address = 'x.a') =>
    findOrphans({
      planned: [planned(address, more)],
      reported: reportsOf(address, 'started'),
      before: living(),
      after: living(),
      isContinuous: true,
    })[0]?.importBlock;

  const hidden = { $svc: 'sensitive' };
  const ids: [string, Json, string][] = [
    ['the id, when it is in the plan', { id: 'vpc-1', name: 'net' }, '"vpc-1"'],
    ['the name', { size: 1, name: 'web' }, '"<the id of the x whose name is web>"'],
    ['another identifying attribute', { bucket: 'logs' }, '"<the id of the x whose bucket is logs>"'],
    ['no sensitive value', { name: hidden, bucket: 'b' }, '"<the id of the x whose bucket is b>"'],
    ['no unknown value', { name: null }, '"<the id of this x>"'],
    ['no value that is too long', { name: 'n'.repeat(121) }, '"<the id of this x>"'],
    ['no part of a value that is not an object', null, '"<the id of this x>"'],
    [
      'a name escaped as a literal',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template is what is meant
      { name: '${file("/etc/passwd")}%{if x}' },
      '"<the id of the x whose name is $${file(\\"/etc/passwd\\")}%%{if x}>"',
    ],
    ['a name without hidden characters', { id: 'a\u202eb\u0007\n' }, '"a\\u202eb\\u0007\\n"'],
  ];
  test.each(ids)('names %s', (_name, after, id) => {
    expect(blockOf({ after: after as Planned['after'] })).toBe(`import {\n  to = x.a\n  id = ${id}\n}`);
  });

  test('targets the instance, in its module', () => {
    expect(blockOf({ after: { id: 'i' }, type: 'x' }, 'module.m["k"].x.a[3]')).toContain('to = module.m["k"].x.a[3]\n');
  });
});

describe('the feed', () => {
  const many = (count: number): Orphan[] =>
    Array.from({ length: count }, (_, index) => ({
      address: `x.a[${index}]`,
      type: 'x',
      grade: 'possible',
      importBlock: `block ${index}`,
    }));

  const lastOf = (items: readonly FeedItem[]) =>
    (items.at(-1) as FeedItem).payload as { code: string; message: string; detail: string };

  test('names each with its block', () => {
    expect(orphanItems(many(1), 7)).toEqual([
      {
        kind: 'diagnostic',
        at: 7,
        payload: {
          severity: 'warning',
          code: 'orphan_possible',
          message: expect.stringContaining('x.a[0] may have been started'),
          detail: 'block 0',
          address: 'x.a[0]',
        },
      },
    ]);
  });

  test('names the first hundred, then the number of the rest', () => {
    expect(orphanItems(many(100), 0)).toHaveLength(100);
    const items = orphanItems(many(1_000), 0);
    expect(items).toHaveLength(101);
    const { code, message, detail } = lastOf(items);
    expect([code, message]).toEqual(['orphan_more', '900 more resources may exist that the state does not contain.']);
    expect(detail.split('\n')).toEqual(
      many(1_000)
        .slice(100)
        .map(({ address }) => address),
    );
  });

  test('limits the list of the rest, and keeps the count exact', () => {
    const long = many(2_000).map((orphan) => ({ ...orphan, address: `${orphan.address}${'y'.repeat(90)}` }));
    const { message, detail } = lastOf(orphanItems(long, 0));
    expect(message).toContain('1900 more');
    expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(65_536);
    expect(detail.split('\n').every((line) => line.endsWith('yyy'))).toBe(true);
  });
});

test('the live objects of a state are its managed objects that no replace left behind', () => {
  const resources = [
    { address: 'x.a', mode: 'managed', attributes: { id: '1' } },
    { address: 'x.a', mode: 'managed', attributes: { id: '0' }, deposed: 'ab' },
    { address: 'data.x.d', mode: 'data', attributes: {} },
    { address: 'x.k["one"]', mode: 'managed', attributes: { id: '2' } },
    { address: 'x.k["two"]', mode: 'managed' },
  ];
  const state = { resources } as unknown as State;
  expect([...livingIn(state, (address) => address.replace(/"\w+"/, '"[redacted]"'))]).toEqual([
    ['x.a', [{ id: '1' }]],
    ['x.k["[redacted]"]', [{ id: '2' }, null]],
  ]);
  expect([...livingIn(undefined, String)]).toEqual([]);
});

test('unfinished operations were started and not completed, whatever the action', () => {
  const events = [
    { address: 'x.b', action: 'update', state: 'started' },
    { address: 'x.a', action: 'create', state: 'started' },
    { address: 'x.c', action: 'delete', state: 'started' },
    { address: 'x.c', action: 'delete', state: 'completed' },
    { address: 'x.d', action: 'read', state: 'started' },
    { address: 'x.e', action: 'create', state: 'started' },
    { address: 'x.e', action: 'create', state: 'errored' },
  ];
  expect(unfinishedIn(events)).toEqual(['x.a', 'x.b', 'x.e']);
});
