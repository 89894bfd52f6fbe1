import { getEventListeners } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { decodePiece, journalFile } from '../runner/index.ts';
import { createSender } from './sender.ts';
import { createTurns } from './turns.ts';

const unexpected = (error: unknown): never => {
  throw error;
};

test('a sender waits for each record with one listener of its signal, and with none after its end', async () => {
  const runDir = path.join(tempDir(), 'run_1');
  mkdirSync(runDir);
  const over = new AbortController();
  const sent: string[] = [];
  const sender = createSender({
    link: {
      sendPiece: async ({ content }) => void sent.push(decodePiece(content).bytes.toString()),
      sendFile: () => Promise.reject(new Error('no file is sent')),
    },
    inTurn: createTurns(),
    claim: { jobId: 'run_1', ticket: 'a'.repeat(32) },
    key: Buffer.alloc(32),
    runDir,
    offset: 0,
    signal: over.signal,
    onFault: unexpected,
  });
  const sending = sender.run();
  for (let count = 1; count <= 20; count += 1) {
    appendFileSync(journalFile(runDir), '{}\n');
    sender.extend(count * 3, []);
    await expect.poll(() => sender.offset).toBe(count * 3);
  }
  expect(sent.join('')).toBe('{}\n'.repeat(20));
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(1);
  over.abort();
  await sending;
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(0);
});

test('a sender leaves out the copies of states that newer ones have replaced', async () => {
  const runDir = path.join(tempDir(), 'run_1');
  mkdirSync(runDir);
  const over = new AbortController();
  const named: string[][] = [];
  const sender = createSender({
    link: {
      sendPiece: async ({ content }) => void named.push(decodePiece(content).files.map(({ name }) => name)),
      sendFile: async () => ({ digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 5 }),
    },
    inTurn: createTurns(),
    claim: { jobId: 'run_1', ticket: 'a'.repeat(32) },
    key: Buffer.alloc(32),
    runDir,
    offset: 0,
    signal: over.signal,
    onFault: unexpected,
  });
  writeFileSync(path.join(runDir, 'state-000002-0a1b2c3d.tfstate'), 'state');
  writeFileSync(journalFile(runDir), '{}\n{}\n');
  sender.extend(3, ['state-000001-0a1b2c3d.tfstate']);
  sender.extend(6, ['state-000002-0a1b2c3d.tfstate']);
  const sending = sender.run();
  await expect.poll(() => named).toEqual([['state-000002-0a1b2c3d.tfstate']]);
  over.abort();
  await sending;
});

test('a sender reports a piece that cannot be sent', async () => {
  const runDir = path.join(tempDir(), 'run_1');
  mkdirSync(runDir);
  writeFileSync(journalFile(runDir), '{}\n');
  const over = new AbortController();
  const refused = new Error('no connection');
  const reported: unknown[] = [];
  const sender = createSender({
    link: { sendPiece: () => Promise.reject(refused), sendFile: () => Promise.reject(refused) },
    inTurn: createTurns(),
    claim: { jobId: 'run_1', ticket: 'a'.repeat(32) },
    key: Buffer.alloc(32),
    runDir,
    offset: 0,
    signal: over.signal,
    onFault: (error) => reported.push(error),
  });
  sender.extend(3, []);
  const sending = sender.run();
  await expect.poll(() => reported).toEqual([refused]);
  over.abort();
  await sending;
});

test('a sender waits with its files until another Run has sent all of its own, but not with its log', async () => {
  const over = new AbortController();
  const inTurn = createTurns();
  const began: string[] = [];
  const pieces: string[] = [];
  const sent = new Map<string, PromiseWithResolvers<void>>();
  const senderOf = (jobId: string) => {
    const runDir = path.join(tempDir(), jobId);
    mkdirSync(runDir);
    writeFileSync(path.join(runDir, 'plan'), 'plan');
    writeFileSync(journalFile(runDir), '{}\n{}\n');
    const arrival = Promise.withResolvers<void>();
    sent.set(jobId, arrival);
    const sender = createSender({
      link: {
        sendPiece: async ({ offset }) => void pieces.push(`${jobId} ${offset}`),
        sendFile: async () => {
          began.push(jobId);
          await arrival.promise;
          return { digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 4 };
        },
      },
      inTurn,
      claim: { jobId, ticket: 'a'.repeat(32) },
      key: Buffer.alloc(32),
      runDir,
      offset: 0,
      signal: over.signal,
      onFault: unexpected,
    });
    return { sender, sending: sender.run() };
  };
  const [one, two] = [senderOf('run_1'), senderOf('run_2')];
  one.sender.extend(3, ['plan']);
  await expect.poll(() => began).toEqual(['run_1']);
  two.sender.extend(3, []);
  await expect.poll(() => pieces).toEqual(['run_2 0']);
  two.sender.extend(6, ['plan']);
  await new Promise(setImmediate);
  expect(began).toEqual(['run_1']);
  sent.get('run_1')?.resolve();
  await expect.poll(() => began).toEqual(['run_1', 'run_2']);
  sent.get('run_2')?.resolve();
  await expect.poll(() => pieces).toEqual(['run_2 0', 'run_1 0', 'run_2 3']);
  over.abort();
  await Promise.all([one.sending, two.sending]);
});
