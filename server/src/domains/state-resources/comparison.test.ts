import { expect, it } from 'vitest';
import { createCursors } from '#server/kernel/page';
import { createComparison } from './comparison.ts';
import type { ReadableState } from './reader.ts';
import type { IndexEntry } from './stored.ts';

const head = (id: string, generation: number, resourceCount: number) =>
  ({ id, generation, resourceCount, capsuleId: 'cap_1' }) as Parameters<ReturnType<typeof createComparison>>[0];

const entry = (name: string, digest: string): IndexEntry => ({
  address: `test_thing.${name}`,
  digest,
  page: 0,
});

const text = 'x'.repeat(300_000);

function state(names: readonly string[], status: 'ready' | 'pending' | 'addresses_only'): ReadableState {
  return {
    projection: { status, ...(status === 'addresses_only' && { reason: 'unreadable' }) },
    head: { index: names.map((name) => entry(name, status)), modules: [], checks: [], outputs: [] },
    digest: () => '',
    find: ({ address }) => ({
      ...{ address, mode: 'managed', type: 'test_thing', name: address, providerName: 'test' },
      attributes: { text },
    }),
    search: () => ({ mayHold: false, characters: 0 }),
  };
}

function createCompare(states: Readonly<Record<string, ReadableState>>) {
  return createComparison({
    vault: { installationKey: () => 'k'.repeat(64) },
    cursors: createCursors('k'.repeat(64)),
    store: { listMovesAndReplaces: () => [] },
    sealing: { openAddresses: () => undefined },
    openState: async ({ id }) => states[id] ?? state([], 'ready'),
  });
}

it('refuses a state whose resources cannot be read, in place of showing all of them as deleted', async () => {
  const compare = createCompare({ before: state(['a', 'b'], 'ready'), after: state([], 'addresses_only') });
  await expect(compare(head('before', 1, 2), head('after', 2, 2), {})).rejects.toMatchObject({
    details: { reason: 'state_not_comparable' },
  });
});

it('compares with a state that has no resources', async () => {
  const compare = createCompare({ before: state(['a'], 'ready'), after: state([], 'ready') });
  expect((await compare(head('before', 1, 1), head('after', 2, 0), {})).resources).toHaveLength(1);
});

it('ends a page of large resources early, and continues after it', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`);
  const compare = createCompare({ after: state(names, 'ready') });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await compare(head('before', 1, 0), head('after', 2, 20), cursor === undefined ? {} : { cursor });
    expect(page.resources.length).toBeLessThanOrEqual(7);
    seen.push(...page.resources.map(({ address }) => address));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(names.map((name) => `test_thing.${name}`));
});
