import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fenceAt, ledgerFacts } from '../../../test/fence-fixture.ts';
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
  const ledger = ledgerFacts();
  const older = fenceAt(bucket, 'server-old', { ledger });
  const newer = fenceAt(bucket, 'server-new');
  expect(await older.check()).toBe('held');
  expect(await newer.check()).toBe('lost');
  expect((await newer.take('operator')).status).toBe('held');
  return { older, newer, ledger };
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

  it('names one of two servers that start at once', async () => {
    const fences = ['server-1', 'server-2'].map((id) => fenceAt(bucket, id));
    const statuses = await Promise.all(fences.map((fence) => fence.check()));
    expect(statuses.toSorted()).toEqual(['held', 'lost']);
  });

  it('stays with its server over a restart', async () => {
    await fenceAt(bucket, 'server-1').check();
    const restarted = fenceAt(bucket, 'server-1');
    expect(await restarted.check()).toBe('held');
    expect(stored().term).toBe(1);
  });

  it('that another server has taken makes the older one read-only, until it takes it with a restored ledger', async () => {
    const { older, newer, ledger } = await takeover();
    expect(older.findWriteRefusal()).toBeUndefined();
    expect(await waitOf(older)).toMatch(/Another server has taken the fence/);
    expect(older.findWriteRefusal()).toMatchObject({ code: 'ledger_read_only', details: { reason: 'fence_lost' } });
    expect(older.isLost()).toBe(true);
    expect(await waitOf(newer)).toBeUndefined();
    await expect(older.take('operator')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('groundctl restore mark'),
    });
    ledger.restore = 'restore-2';
    expect(await older.take('operator')).toMatchObject({ status: 'held', holder: { serverId: 'server-old', term: 3 } });
    expect(older.findWriteRefusal()).toBeUndefined();
    expect(await newer.check()).toBe('lost');
    // The ledger of the newer server is out of date now, whatever restore it came from.
    await expect(newer.take('operator')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('stays lost over a restart, also when the bucket does not answer', async () => {
    const { older, ledger } = await takeover();
    expect(await older.check()).toBe('lost');
    bucket.fail(() => 'cut');
    const restarted = fenceAt(bucket, 'server-old', { ledger });
    expect(restarted.isLost()).toBe(true);
    await restarted.start();
    expect(restarted.describe()).toMatchObject({ status: 'lost', holder: { serverId: 'server-new', term: 2 } });
    expect(await waitOf(restarted)).toMatch(/Another server has taken the fence/);
    await restarted.stop();
  });

  it('is held again by a restart when the take of a lost server was written, but not answered', async () => {
    const { older, ledger } = await takeover();
    expect(await older.check()).toBe('lost');
    ledger.restore = 'restore-2';
    bucket.fail(({ method }) => (method === 'PUT' ? 'cut' : undefined));
    await expect(older.take('operator')).rejects.toMatchObject({ code: 'feature_unavailable' });
    bucket.fail(undefined);
    const restarted = fenceAt(bucket, 'server-old', { ledger });
    expect(restarted.isLost()).toBe(true);
    await restarted.start();
    expect(restarted.describe()).toMatchObject({ status: 'held', holder: { term: 3 } });
    await restarted.stop();
  });

  it('is not taken by a copy of the ledger that was not started as a restored one', async () => {
    const ledger = ledgerFacts();
    await fenceAt(bucket, 'server-1', { ledger }).check();
    const copy = ledger.copy();
    const standby = fenceAt(bucket, 'server-2', { ledger: copy });
    expect(await standby.check()).toBe('lost');
    await expect(standby.take('operator')).rejects.toMatchObject({ code: 'conflict' });
    copy.restore = 'restore-2';
    expect((await standby.take('operator')).status).toBe('held');
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

  it('goes to a copied data folder that starts first after the copy, and stays there', async () => {
    const ledger = ledgerFacts();
    const older = fenceAt(bucket, 'server-1', { ledger });
    await older.check();
    const copied = ledger.copy();
    const copy = fenceAt(bucket, 'server-1', { ledger: copied });
    expect(await copy.check()).toBe('held');
    expect(await older.check()).toBe('lost');
    expect(older.findWriteRefusal()?.message).toMatch(/the data of this one/);
    expect(await fenceAt(bucket, 'server-1', { ledger }).check()).toBe('lost');
    expect(await fenceAt(bucket, 'server-1', { ledger: copied }).check()).toBe('held');
  });

  it('is not given to an old copy of the data folder', async () => {
    const ledger = ledgerFacts();
    const current = fenceAt(bucket, 'server-1', { ledger });
    await current.check();
    const old = ledger.copy();
    await current.check();
    const copy = fenceAt(bucket, 'server-1', { ledger: old });
    expect(await copy.check()).toBe('lost');
    await expect(copy.take('operator')).rejects.toMatchObject({ code: 'conflict' });
    expect(await current.check()).toBe('held');
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
    const slow = fenceAt(bucket, 'server-2', { checkMs: 50 });
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
    const ledger = ledgerFacts();
    const fence = fenceAt(bucket, 'server-1', { ledger });
    await fence.check();
    bucket.objects.delete(key);
    expect(await waitOf(fence)).toMatch(/is gone/);
    expect(await waitOf(fenceAt(bucket, 'server-1', { ledger }))).toMatch(/is gone/);
    expect(await fence.take('operator')).toMatchObject({ status: 'held', holder: { term: 2 } });
  });

  it('emptied is not filled by a server that has lost the fence', async () => {
    const { older, ledger } = await takeover();
    await older.check();
    bucket.objects.delete(key);
    const restarted = fenceAt(bucket, 'server-old', { ledger });
    await restarted.start();
    expect(restarted.isLost()).toBe(true);
    await expect(restarted.take('operator')).rejects.toMatchObject({ code: 'conflict' });
    expect(bucket.objects.read(key)).toBeUndefined();
    await restarted.stop();
  });
});
