import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool, spawnDetached } from '../../os/spawn.ts';
import { openForChild, openOutput } from '../../supervisor/command/output.ts';
import { makeFifos, prepareFifos, serveFifo } from './fifo-source.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'fifo-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('every reader of a served FIFO gets the whole text once, one after the other, repeatedly', async () => {
  const file = path.join(dir, 'key.json');
  const source = await serveFifo(file, 'the text\n');
  const reads = await runTool({
    file: '/bin/sh',
    argv: ['-c', `i=0; while [ $i -lt 300 ]; do cat ${file}; i=$((i+1)); done`],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 15_000,
  });
  expect(reads.stdout).toBe('the text\n'.repeat(300));
  await source.close();
  expect(readdirSync(dir)).toEqual([]);
});

test('a text longer than a pipe holds is served whole, and a reader that leaves early does not affect the others', async () => {
  const file = path.join(dir, 'vars.json');
  const text = 'x'.repeat(1_000_000);
  const source = await serveFifo(file, text);
  await runTool({
    file: '/bin/sh',
    argv: ['-c', `head -c 10 ${file}`],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
  });
  expect(await readFile(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await source.close();
});

test('all data of a writer is delivered although another process still holds the FIFO', async () => {
  const file = path.join(dir, 'out.fifo');
  await makeFifos([file]);
  const chunks: Buffer[] = [];
  const output = openOutput(file, (chunk) => chunks.push(Buffer.from(chunk)));
  const holder = await spawnDetached({
    file: '/bin/sleep',
    argv: ['60'],
    env: {},
    stdio: ['ignore', openForChild(file, false), 'ignore'],
  });
  const writer = openForChild(file, true);
  const child = await spawnDetached({
    file: '/bin/sh',
    argv: ['-c', 'head -c 300000 /dev/zero'],
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', writer, 'ignore'],
  });
  await child.exited;
  await output.drain();
  expect(Buffer.concat(chunks)).toEqual(Buffer.alloc(300_000));
  output.close();
  closeSync(writer);
  process.kill(holder.pid, 'SIGKILL');
  await holder.exited;
});

test('a writer that outlives its reader stalls and continues when another reader opens the FIFO', async () => {
  const file = path.join(dir, 'out.fifo');
  await makeFifos([file]);
  const first = openOutput(file, () => {});
  const descriptor = openForChild(file, true);
  const child = await spawnDetached({
    file: '/bin/sh',
    argv: ['-c', `head -c 200000 /dev/zero | tr '\\0' y; echo done > ${dir}/done`],
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', descriptor, 'ignore'],
  });
  first.close();
  let size = 0;
  const second = openOutput(file, (chunk) => {
    size += chunk.length;
  });
  expect(await child.exited).toEqual({ code: 0, signal: null });
  await second.drain();
  second.close();
  closeSync(descriptor);
  expect(size).toBeGreaterThan(0);
  expect(readFileSync(path.join(dir, 'done'), 'utf8')).toBe('done\n');
});

test('a marker is found at any chunk boundary', async () => {
  const file = path.join(dir, 'out.fifo');
  await makeFifos([file]);
  for (let round = 0; round < 20; round += 1) {
    const chunks: Buffer[] = [];
    const output = openOutput(file, (chunk) => chunks.push(Buffer.from(chunk)));
    const descriptor = openForChild(file, true);
    for (let line = 0; line < round; line += 1) writeSync(descriptor, `line ${line}\n`);
    await output.drain();
    expect(Buffer.concat(chunks).toString()).toBe(
      Array.from({ length: round }, (_, line) => `line ${line}\n`).join(''),
    );
    output.close();
    closeSync(descriptor);
  }
});

const isFifo = (file: string): boolean => statSync(file).isFIFO();

test('preallocated FIFOs take their names and replace existing files', async () => {
  const files = ['out', 'err'].map((name) => path.join(dir, name));
  writeFileSync(files[0] as string, 'of an earlier supervisor');
  const preallocated = prepareFifos(dir, 2);
  await preallocated.take(files);
  await preallocated.drop();
  expect(files.every(isFifo)).toBe(true);
  expect(readdirSync(dir).sort()).toEqual(['err', 'out']);
});

test('FIFOs are created again when preallocated ones are missing, and unused ones are removed', async () => {
  const files = ['out', 'err'].map((name) => path.join(dir, name));
  const preallocated = prepareFifos(dir, 2);
  await preallocated.drop();
  expect(readdirSync(dir)).toEqual([]);
  await preallocated.take(files);
  expect(files.every(isFifo)).toBe(true);
  const nowhere = prepareFifos(path.join(dir, 'none'), 2);
  await nowhere.take(files);
  await nowhere.drop();
  expect(files.every(isFifo)).toBe(true);
});
