import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { required } from '#server/kernel/required';
import { Secret } from '#server/kernel/secret';
import { selfSigned } from '../../../test/certificate.ts';
import { tempDir } from '../../../test/harness.ts';
import { bucketKeys, errorAnswer, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { guardedLookup } from '../git/index.ts';
import { createObjectStore, type StoreConnection, StoreError } from './index.ts';

let bucket: ObjectBucket;
let dir: string;
beforeEach(async () => {
  bucket = await startObjectBucket();
  dir = tempDir();
});
afterEach(async () => {
  await bucket.close();
  removeTree(dir);
});

const keys = { accessKeyId: bucketKeys.accessKeyId, secretAccessKey: new Secret(bucketKeys.secretAccessKey) };
const open = (part: Partial<StoreConnection> = {}) =>
  createObjectStore({ ...bucket.connection, keys, ...part }, { partBytes: 1_000 });
const text = (value: string) => Buffer.from(value);
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'success',
    (error: unknown) => (error instanceof StoreError ? error.reason : error),
  );
async function namesOf(prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of open().list(prefix)) names.push(key);
  return names;
}

describe('an object', () => {
  it.each(['plain.txt', 'deep/er/key.age', "odd ' (1) *!&=+?#% é世/k", 'a//b'])(
    '%s is written, read and deleted',
    async (key) => {
      const store = open();
      await store.putBytes(key, text('content'));
      expect(Buffer.from((await store.getBytes(key, 100))?.bytes ?? []).toString()).toBe('content');
      expect(await store.findSize(key)).toBe(7);
      expect(await namesOf('')).toEqual([key]);
      await store.delete(key);
      await store.delete(key);
      expect(await store.getBytes(key, 100)).toBeUndefined();
      expect(await store.findSize(key)).toBeUndefined();
      expect(await store.openRead(key)).toBeUndefined();
    },
  );

  it('is written only when its condition is met', async () => {
    const store = open();
    const first = await store.putBytes('k', text('1'), { when: { ifAbsent: true } });
    expect(await reasonOf(store.putBytes('k', text('2'), { when: { ifAbsent: true } }))).toBe('changed');
    const second = await store.putBytes('k', text('2'), { when: { ifMatch: first } });
    expect(await reasonOf(store.putBytes('k', text('3'), { when: { ifMatch: first } }))).toBe('changed');
    expect(await store.getBytes('k', 10)).toEqual({ bytes: text('2'), tag: second });
  });

  it('larger than allowed is not read', async () => {
    await open().putBytes('k', text('12345'));
    expect(await reasonOf(open().getBytes('k', 4))).toBe('invalid_answer');
  });

  it('is listed with all others of its prefix over several pages', async () => {
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/1']) await open().putBytes(key, text('x'));
    expect(await namesOf('a/')).toEqual(['a/1', 'a/2', 'a/3', 'a/4', 'a/5']);
  });

  it('streams to a reader, and a stream that is cut off fails', async () => {
    const bytes = randomBytes(300_000);
    await open().putBytes('k', bytes);
    const read = async () => {
      const stream = required(await open().openRead('k'), 'object');
      expect(stream.sizeBytes).toBe(bytes.length);
      return await buffer(stream.body);
    };
    expect((await read()).equals(bytes)).toBe(true);
    bucket.fail(() => 'cut in the middle');
    await expect(read()).rejects.toThrow();
  });
});

describe('a file', () => {
  const write = (size: number): { file: string; bytes: Buffer } => {
    const bytes = randomBytes(size);
    const file = path.join(dir, 'file');
    fs.writeFileSync(file, bytes);
    return { file, bytes };
  };
  const partsSent = () => bucket.requests.flatMap(({ what }) => (what.startsWith('part') ? [what] : []));

  it.each([0, 1, 999, 1_000, 1_001, 5_500])('of %d bytes is sent in parts', async (size) => {
    const { file, bytes } = write(size);
    await open().putFile({ key: 'f', file, onUpload: () => {} });
    expect(bucket.objects.read('f')?.equals(bytes)).toBe(true);
    expect(bucket.objects.uploads()).toEqual([]);
  });

  it('continues after an interruption with the parts that are stored', async () => {
    const { file, bytes } = write(5_500);
    let uploadId: string | undefined;
    const send = () => open().putFile({ key: 'f', file, uploadId, onUpload: (id) => (uploadId = id) });
    bucket.fail(({ what }) => (what === 'part 4' ? 'cut' : undefined));
    expect(await reasonOf(send())).toBe('unsure');
    bucket.fail(undefined);
    await send();
    expect(bucket.objects.read('f')?.equals(bytes)).toBe(true);
    expect(partsSent()).toEqual(['part 1', 'part 2', 'part 3', 'part 4', 'part 5', 'part 6']);
  });

  it('starts again when the service has ended the upload', async () => {
    const { file, bytes } = write(1_500);
    const ids: string[] = [];
    await open().putFile({ key: 'f', file, uploadId: 'unknown', onUpload: (id) => ids.push(id) });
    expect(ids).toHaveLength(1);
    expect(bucket.objects.read('f')?.equals(bytes)).toBe(true);
  });

  it('is not stored when the service reports a failure after its success', async () => {
    const { file } = write(10);
    bucket.fail(({ what }) => (what === 'complete' ? { ...errorAnswer(200, 'InternalError') } : undefined));
    expect(await reasonOf(open().putFile({ key: 'f', file, onUpload: () => {} }))).toBe('unavailable');
  });

  it('leaves no part behind when its upload is aborted', async () => {
    const { file } = write(1_500);
    let uploadId = '';
    bucket.fail(({ what }) => (what === 'part 2' ? errorAnswer(503, 'SlowDown') : undefined));
    expect(await reasonOf(open().putFile({ key: 'f', file, onUpload: (id) => (uploadId = id) }))).toBe('unavailable');
    bucket.fail(undefined);
    await open().abortUpload('f', uploadId);
    await open().abortUpload('f', uploadId);
    expect(bucket.objects.uploads()).toEqual([]);
  });
});

describe('a request', () => {
  it.each([
    [
      'another secret',
      { keys: { ...keys, secretAccessKey: new Secret('another-secret') } },
      'denied',
      'SignatureDoesNotMatch',
    ],
    ['another key id', { keys: { ...keys, accessKeyId: 'AKIA000' } }, 'denied', 'InvalidAccessKeyId'],
    ['another region', { region: 'us-east-1' }, 'denied', 'AuthorizationHeaderMalformed'],
  ])('with %s is refused', async (_what, part, reason, code) => {
    expect(await reasonOf(open(part).putBytes('k', text('x')))).toBe(reason);
    expect(bucket.refused).toEqual([code]);
  });

  it('with a session token signs it', async () => {
    const session = { ...keys, sessionToken: new Secret('session-token') };
    await open({ keys: session }).putBytes('k', text('x'));
    expect(bucket.refused).toEqual([]);
  });

  it('for an unknown bucket says so', async () => {
    expect(await reasonOf(open({ bucket: 'other' }).putBytes('k', text('x')))).toBe('bucket_missing');
  });

  it.each([
    ['redirects', { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } }, 'redirected'],
    ['is busy', errorAnswer(503, 'SlowDown'), 'unavailable'],
    ['is a page', { status: 200, body: '<html></html>' }, 'invalid_answer'],
    ['is cut', 'cut' as const, 'unreachable'],
    ['is cut in the middle', 'cut in the middle' as const, 'unreachable'],
  ])('whose answer %s fails with the reason', async (_what, answer, reason) => {
    await open().putBytes('k', text('x'));
    bucket.fail(() => answer);
    expect(await reasonOf(namesOf(''))).toBe(reason);
  });

  it('that changes something and gets no answer is unsure', async () => {
    bucket.fail(() => 'cut');
    expect(await reasonOf(open().putBytes('k', text('x')))).toBe('unsure');
    expect(bucket.objects.keys()).toEqual(['k']);
  });

  it('ends when no byte arrives for too long, and when it is cancelled', async () => {
    bucket.fail(() => new Promise(() => {}));
    expect(await reasonOf(open({ idleMs: 50 }).findSize('k'))).toBe('unreachable');
    const cancel = new AbortController();
    const waiting = open().findSize('k', { signal: cancel.signal });
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('to a server that is not there is unreachable', async () => {
    const { connection } = bucket;
    await bucket.close();
    expect(await reasonOf(open(connection).findSize('k'))).toBe('unreachable');
    bucket = await startObjectBucket();
  });

  it('to an address that may not be reached is refused before it connects', async () => {
    const endpoint = bucket.connection.endpoint.replace('127.0.0.1', 'localhost');
    const lookup = guardedLookup({ allowLoopback: false });
    expect(await reasonOf(open({ endpoint, lookup }).findSize('k'))).toBe('address_refused');
    expect(bucket.requests).toEqual([]);
  });

  it('over https needs a valid certificate', async () => {
    const tls = selfSigned('localhost');
    const caFile = path.join(dir, 'ca.pem');
    fs.writeFileSync(caFile, tls.cert);
    const secure = await startObjectBucket({ tls });
    expect(await reasonOf(open(secure.connection).putBytes('k', text('x')))).toBe('certificate_refused');
    expect(await reasonOf(open({ ...secure.connection, caFile }).putBytes('k', text('x')))).toBe('success');
    await secure.close();
  });
});
