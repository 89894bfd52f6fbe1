import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fenceAt } from '../../../test/fence-fixture.ts';
import { errorAnswer, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';

let bucket: ObjectBucket;
beforeEach(async () => {
  bucket = await startObjectBucket();
});
afterEach(() => bucket.close());

const key = 'fence/groundctl-fence.json';
const stored = () => JSON.parse(bucket.objects.read(key)?.toString() ?? '{}');
const never = new AbortController().signal;
const slot = { leave: () => {}, enter: async () => {} };
const waitOf = (fence: ReturnType<typeof fenceAt>, onWait: (message: string) => void = () => {}) =>
  fence.awaitHeld({ signal: never, slot, onWait });
/** Two servers of one installation: the older one had the fence, and the newer one has taken it. */
async function takeover() {
  const older = fenceAt(bucket, 'server-old');
  const newer = fenceAt(bucket, 'server-new');
  expect(await older.check()).toBe('held');
  expect(await newer.check()).toBe('lost');
  expect((await newer.take('operator')).status).toBe('held');
  return { older, newer };
}

describe('the fence', () => {
  it('names the first server, and every check renews it', async () => {
    const fence = fenceAt(bucket, 'server-1');
    expect(await fence.check()).toBe('held');
    const first = stored();
    expect(first).toMatchObject({ serverId: 'server-1', installationId: 'installation-1', term: 1 });
    expect(await fence.check()).toBe('held');
    expect(stored()).toEqual({ ...first, nonce: expect.not.stringContaining(first.nonce) });
    expect(fence.findWriteRefusal()).toBeUndefined();
    expect(await waitOf(fence)).toBeUndefined();
    expect(fence.describe()).toMatchObject({ status: 'held', location: `s3://backups/${key}`, serverId: 'server-1' });
  });

  it('stays with its server over a restart', async () => {
    await fenceAt(bucket, 'server-1').check();
    const restarted = fenceAt(bucket, 'server-1');
    expect(await restarted.check()).toBe('held');
    expect(stored().term).toBe(1);
  });

  it('that another server has taken makes the older one read-only, until that one takes it', async () => {
    const { older, newer } = await takeover();
    expect(older.findWriteRefusal()).toBeUndefined();
    expect(await waitOf(older)).toMatch(/Another server has taken the fence/);
    expect(older.findWriteRefusal()).toMatchObject({ code: 'ledger_read_only', details: { reason: 'fence_lost' } });
    expect(older.isLost()).toBe(true);
    expect(await waitOf(newer)).toBeUndefined();
    expect(await older.take('operator')).toMatchObject({ status: 'held', holder: { serverId: 'server-old', term: 3 } });
    expect(older.findWriteRefusal()).toBeUndefined();
    expect(await newer.check()).toBe('lost');
  });

  it('goes to one of two servers that take it at once', async () => {
    await fenceAt(bucket, 'server-0').check();
    const fences = ['server-1', 'server-2'].map((id) => fenceAt(bucket, id));
    await Promise.all(fences.map((fence) => fence.check()));
    const results = await Promise.allSettled(fences.map((fence) => fence.take('operator')));
    const taken = results.filter(({ status }) => status === 'fulfilled');
    expect(taken).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    const statuses = await Promise.all(fences.map((fence) => fence.check()));
    expect(statuses.toSorted()).toEqual(['held', 'lost']);
  });

  it('goes to the server that started last when both have the same id, as after a copied folder', async () => {
    const older = fenceAt(bucket, 'server-1');
    await older.check();
    const copy = fenceAt(bucket, 'server-1');
    expect(await copy.check()).toBe('held');
    expect(await older.check()).toBe('lost');
    expect(older.findWriteRefusal()?.message).toMatch(/the data of this one/);
  });

  it('of another installation is not taken', async () => {
    await fenceAt(bucket, 'server-1').check();
    const foreign = fenceAt(bucket, 'server-2', { installationId: 'installation-2' });
    expect(await foreign.check()).toBe('lost');
    await expect(foreign.take('operator')).rejects.toMatchObject({ code: 'conflict' });
    expect(stored().serverId).toBe('server-1');
  });
});

describe('a bucket that is', () => {
  it('cut off lets applies wait, and ends them with a sentence after the time of the setting', async () => {
    const fence = fenceAt(bucket, 'server-1', { waitMs: 60_000 });
    await fence.check();
    bucket.fail(() => 'cut');
    const notes: string[] = [];
    const waiting = waitOf(fence, (message) => {
      notes.push(message);
      bucket.fail(undefined);
    });
    expect(await waiting).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining('did not answer')]);
    bucket.fail(() => errorAnswer(503, 'SlowDown'));
    const impatient = fenceAt(bucket, 'server-1');
    expect(await waitOf(impatient)).toMatch(/not available now.*was not started/);
    expect(impatient.findWriteRefusal()).toBeUndefined();
  });

  it('cut off during a takeover does not let the older server start an apply', async () => {
    const { older } = await takeover();
    bucket.fail(() => 'cut');
    expect(await waitOf(older)).toMatch(/was not started/);
    bucket.fail(undefined);
    expect(await waitOf(older)).toMatch(/Another server/);
    expect(older.isLost()).toBe(true);
  });

  it('cut off after a write recognizes its own write', async () => {
    const fence = fenceAt(bucket, 'server-1');
    await fence.check();
    bucket.fail(({ method }) => (method === 'PUT' ? 'cut' : undefined));
    expect(await fence.check()).toBe('unknown');
    bucket.fail(undefined);
    expect(await fence.check()).toBe('held');
  });

  it('too slow gives no answer that counts, for the older server neither', async () => {
    const { older } = await takeover();
    const slow = fenceAt(bucket, 'server-new', { checkMs: 50 });
    bucket.fail(() => new Promise(() => {}));
    expect(await waitOf(slow)).toMatch(/did not answer in time/);
    bucket.fail(undefined);
    expect(await waitOf(older)).toMatch(/Another server/);
  });

  it('lying about writes does not give the fence to anyone', async () => {
    const { older, newer } = await takeover();
    bucket.dropWrites(true);
    for (const fence of [older, newer])
      expect(await waitOf(fence)).toMatch(/did not return what was written|Another server/);
    await expect(older.take('operator')).rejects.toMatchObject({ code: expect.stringMatching(/conflict|unavailable/) });
    bucket.dropWrites(false);
    expect(stored().serverId).toBe('server-new');
    expect(await waitOf(newer)).toBeUndefined();
  });

  it('returning an old copy does not let the older server start an apply', async () => {
    const older = fenceAt(bucket, 'server-old');
    await older.check();
    const old = bucket.objects.read(key);
    const tag = bucket.objects.tagOf(key) ?? '';
    await fenceAt(bucket, 'server-new').take('operator');
    bucket.fail(({ method }) =>
      method === 'GET' && old ? { status: 200, body: old, headers: { etag: tag } } : undefined,
    );
    expect(await waitOf(older)).toMatch(/was not started/);
    bucket.fail(undefined);
    expect(await waitOf(older)).toMatch(/Another server/);
  });

  it('ignoring conditions is noticed by the server that lost', async () => {
    const { older, newer } = await takeover();
    bucket.ignoreConditions(true);
    const results = [await older.check(), await newer.check()];
    expect(results.filter((status) => status === 'held').length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['something else', '{"a":1}', /not a fence/],
    ['nothing', '', /not a fence/],
    ['too much', 'x'.repeat(10_000), /S3 does not allow/],
  ])('holding %s where the fence belongs is not a fence', async (_what, content, message) => {
    bucket.objects.write(key, Buffer.from(content));
    const fence = fenceAt(bucket, 'server-1');
    expect(await waitOf(fence)).toMatch(message);
    await expect(fence.take('operator')).rejects.toMatchObject({ code: 'feature_unavailable' });
  });

  it('emptied is not filled again without a person', async () => {
    const fence = fenceAt(bucket, 'server-1');
    await fence.check();
    bucket.objects.delete(key);
    expect(await waitOf(fence)).toMatch(/is gone/);
    expect((await fence.take('operator')).status).toBe('held');
  });
});
