import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteCondition } from '#server/drivers/object-store/index';
import { StoreError } from '#server/drivers/object-store/index';
import { createLog } from '#server/kernel/log';
import { createFenceFacts, type FenceFact } from './fence-facts.ts';
import { createFenceService } from './service.ts';

/** A store of one object, which can be out of reach. */
function openStore() {
  let stored: { bytes: Uint8Array; tag: string } | undefined;
  let revision = 0;
  return {
    isAway: false,
    async getBytes() {
      if (this.isAway) throw new StoreError('unreachable');
      return stored;
    },
    async putBytes(_key: string, bytes: Uint8Array, { when }: { when?: WriteCondition } = {}) {
      if (this.isAway) throw new StoreError('unreachable');
      const wanted = when && 'ifMatch' in when ? when.ifMatch : undefined;
      if (wanted !== stored?.tag) throw new StoreError('changed');
      revision += 1;
      stored = { bytes, tag: String(revision) };
      return stored.tag;
    },
  };
}

/** A server whose term counts for ten seconds, with the number of writes to its ledger. */
function openServer(store: ReturnType<typeof openStore>, serverId: string) {
  let fact: FenceFact | undefined;
  const writes: FenceFact[] = [];
  const ledger = {
    find: () => fact,
    save(next: FenceFact) {
      fact = next;
      writes.push(next);
    },
  };
  const findRestore = () => ({ id: 'promotion', isStarted: true });
  const fence = createFenceService({
    db: { write: (work) => work() },
    clock: { now: () => Date.now() },
    log: createLog('silent'),
    activity: { record: () => {} },
    target: {
      kind: 'term',
      store,
      address: 'nats://GC_TERM',
      prefix: '',
      installationId: 'installation-1',
      serverId,
      facts: createFenceFacts({ ledger, serverId, findRestore }),
      waitMs: 0,
      checkEveryMs: 3_000,
      countsForMs: 10_000,
      makeNonce: () => `nonce-of-${serverId}`.padEnd(16, '-'),
    },
  });
  return { fence, writes };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('a server with a term', () => {
  test('writes nothing when its term was not renewed for ten seconds, and goes on when it is', async () => {
    const store = openStore();
    const { fence, writes } = openServer(store, 'server-1');
    expect(fence.mayWrite()).toBe(false);
    expect(await fence.check()).toBe('held');
    expect(fence.findWriteRefusal()).toBeUndefined();
    const written = writes.length;
    vi.advanceTimersByTime(9_000);
    await fence.check();
    expect(writes).toHaveLength(written);
    store.isAway = true;
    vi.advanceTimersByTime(9_000);
    await fence.check();
    expect(fence.mayWrite()).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(fence.mayWrite()).toBe(false);
    expect(fence.findWriteRefusal()).toMatchObject({ details: { reason: 'fence_unconfirmed' } });
    store.isAway = false;
    await fence.check();
    expect(fence.mayWrite()).toBe(true);
  });

  test('counts the time of an answer that took it from its request', async () => {
    const store = openStore();
    const { fence } = openServer(store, 'server-1');
    const put = store.putBytes.bind(store);
    store.putBytes = async (...writing) => {
      const tag = await put(...writing);
      vi.advanceTimersByTime(4_000);
      return tag;
    };
    await fence.take('operator');
    vi.advanceTimersByTime(6_000);
    expect(fence.mayWrite()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(fence.mayWrite()).toBe(false);
  });

  test('lost it when another one has taken the next', async () => {
    const store = openStore();
    const { fence } = openServer(store, 'server-1');
    await fence.check();
    const next = openServer(store, 'server-2').fence;
    expect(await next.take('operator')).toMatchObject({ holder: { serverId: 'server-2', term: 2 } });
    expect(fence.mayWrite()).toBe(true);
    expect(await fence.check()).toBe('lost');
    expect([fence.mayWrite(), next.mayWrite()]).toEqual([false, true]);
    expect(fence.findWriteRefusal()).toMatchObject({ details: { reason: 'fence_lost' } });
  });
});
