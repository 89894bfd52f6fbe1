import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '#server/kernel/secret';
import { type NatsFixture, startNatsFixture, type TestRunner } from '../../../test/nats-fixture.ts';
import { hasNatsServer, holdsBytes } from '../../../test/nats-server.ts';
import { archiveKey, type FileReference, fileName, partBytes, sealPart } from './file-parts.ts';
import { openPartStore, type PartStore } from './part-store.ts';
import { createRunKey } from './run-box.ts';
import { fetchFile, sendFile } from './transfer.ts';

describe.skipIf(!hasNatsServer)('a file between a runner and the server', () => {
  let fixture: NatsFixture;
  let runner: TestRunner;
  let folder: string;
  const key = createRunKey();
  const short = { maxBytes: 64 * 1_048_576, signal: AbortSignal.timeout(60_000), retryMs: 20 };

  beforeAll(async () => {
    fixture = await startNatsFixture();
    runner = await fixture.join(await fixture.createPool());
  });
  afterAll(() => fixture?.close());
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-transfer-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const storeOf = (side: 'runner' | 'server', options: { partMs?: number; direction?: 'in' | 'out' } = {}): PartStore =>
    openPartStore({
      connection: side === 'runner' ? runner.connection : fixture.server,
      runnerId: runner.runnerId,
      direction: 'out',
      ...options,
    });
  const source = () => path.join(folder, 'source');
  const target = () => path.join(folder, 'target');
  const write = (bytes: Uint8Array) => writeFileSync(source(), bytes);
  const send = (options: object = {}) =>
    sendFile({ store: storeOf('runner'), key, file: source(), ...short, ...options });
  const fetch = (reference: FileReference, options: object = {}) =>
    fetchFile(reference, { store: storeOf('server'), key, file: target(), ...short, ...options });
  /** Part names of a sent file in order. */
  const address = (reference: FileReference, part: number) => ({ file: fileName(key, reference), part });
  const expectNothingLeft = () => expect(readdirSync(folder)).toEqual(['source']);

  it.each([0, 1, partBytes, partBytes + 1, 9 * partBytes - 7])('arrives with %i bytes', async (size) => {
    const bytes = randomBytes(size);
    write(bytes);
    const reference = await send();
    expect(reference).toEqual({
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      sizeBytes: size,
    });
    await fetch(reference);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['source', 'target']);
  });

  it('goes from the server to the runner as well', async () => {
    const bytes = randomBytes(partBytes * 2);
    write(bytes);
    const reference = await send({ store: storeOf('server', { direction: 'in' }) });
    await fetch(reference, { store: storeOf('runner', { direction: 'in' }) });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
  });

  it('leaves no clear byte in the files of NATS', async () => {
    const canary = randomBytes(24);
    write(Buffer.concat([Buffer.alloc(partBytes), canary, Buffer.from(canary.toString('base64'))]));
    const reference = await send();
    const marker = fileName(key, reference);
    // The search finds what is there: the name of the file is not secret.
    expect(holdsBytes(fixture.nats.folder, Buffer.from(marker))).toBe(true);
    expect(holdsBytes(fixture.nats.folder, canary)).toBe(false);
    expect(holdsBytes(fixture.nats.folder, Buffer.from(canary.toString('base64')))).toBe(false);
    expect(holdsBytes(fixture.nats.folder, Buffer.from(reference.digest.slice(7)))).toBe(false);
  });

  it('arrives although NATS is killed in the middle of sending and of fetching', async () => {
    const bytes = randomBytes(12 * partBytes);
    write(bytes);
    let count = 0;
    const killAt = (store: PartStore, at: number): PartStore => {
      const step = async () => {
        count += 1;
        if (count !== at) return;
        await fixture.nats.kill();
        await fixture.nats.start();
      };
      return {
        async put(...input) {
          await step();
          await store.put(...input);
        },
        async find(...input) {
          await step();
          return store.find(...input);
        },
      };
    };
    const times = { partMs: 1_000, tries: 10 };
    const reference = await send({ store: killAt(storeOf('runner', times), 6), ...times });
    count = 0;
    await fetch(reference, { store: killAt(storeOf('server', times), 6), ...times });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
  });

  it('is reported as missing when a part is not there, and nothing is left', async () => {
    write(randomBytes(3 * partBytes));
    const reference = await send();
    await fixture.streams.deleteFile(runner.runnerId, 'out', fileName(key, reference));
    await expect(fetch(reference)).rejects.toMatchObject({ reason: 'file_missing' });
    expectNothingLeft();
  });

  const alterations: [string, (part: Buffer, input: { other: Buffer; reference: FileReference }) => Uint8Array][] = [
    ['a changed part', (part) => Buffer.from(part.map((byte, at) => (at === 100 ? byte ^ 1 : byte)))],
    ['a truncated part', (part) => part.subarray(0, -1)],
    ['an empty part', () => Buffer.alloc(0)],
    ['another part of the same file', (_part, { other }) => other],
    [
      'a part of another key',
      (_part, { reference }) => sealPart(createRunKey(), reference, { part: 1, plain: Buffer.alloc(partBytes) }),
    ],
    [
      'a short part of the right key',
      (_part, { reference }) => sealPart(key, reference, { part: 1, plain: Buffer.alloc(1) }),
    ],
    [
      'other content of the right key',
      (_part, { reference }) => sealPart(key, reference, { part: 1, plain: Buffer.alloc(partBytes) }),
    ],
  ];
  it.each(alterations)('is refused with %s, and nothing is left', async (_what, alter) => {
    write(randomBytes(3 * partBytes));
    const reference = await send();
    const store = storeOf('runner');
    const parts = await Promise.all([0, 1].map((part) => storeOf('server').find(address(reference, part))));
    const [other, part] = parts.map((bytes) => Buffer.from(bytes ?? []));
    await store.put(address(reference, 1), alter(part!, { other: other!, reference }));
    await expect(fetch(reference)).rejects.toMatchObject({ reason: 'file_forged', isTransient: false });
    expectNothingLeft();
  });

  it('is refused by its size before anything is sent or fetched', async () => {
    write(randomBytes(10));
    await expect(send({ maxBytes: 9 })).rejects.toMatchObject({ reason: 'file_too_large' });
    const reference = await send();
    for (const sizeBytes of [short.maxBytes + 1, -1, 1.5, Number.NaN])
      await expect(fetch({ ...reference, sizeBytes })).rejects.toMatchObject({ reason: 'file_too_large' });
    expectNothingLeft();
  });

  it('is refused when its size was declared wrong', async () => {
    write(randomBytes(partBytes + 5));
    const reference = await send();
    await expect(fetch({ ...reference, sizeBytes: partBytes })).rejects.toMatchObject({ reason: 'file_forged' });
    await expect(fetch({ ...reference, sizeBytes: 4 * partBytes })).rejects.toMatchObject({ reason: 'file_forged' });
    expectNothingLeft();
  });

  it('ends with the signal, and nothing is left', async () => {
    write(randomBytes(4 * partBytes));
    const reference = await send();
    const stop = new AbortController();
    const store: PartStore = {
      ...storeOf('server'),
      async find() {
        stop.abort(new Error('stopped'));
        return undefined;
      },
    };
    await expect(fetch(reference, { store, signal: stop.signal })).rejects.toThrow('stopped');
    expectNothingLeft();
  });

  it('has another name in NATS for each key', () => {
    const reference = { digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 };
    const serverKey = new Secret(randomBytes(32));
    const archive = archiveKey(serverKey, reference.digest);
    expect(fileName(key, reference)).not.toBe(fileName(archive, reference));
    // The same archive is sent once, whatever Run needs it.
    expect(fileName(archiveKey(serverKey, reference.digest), reference)).toBe(fileName(archive, reference));
    expect(archiveKey(serverKey, 'sha256:1').reveal()).not.toBe(archive.reveal());
  });
});
