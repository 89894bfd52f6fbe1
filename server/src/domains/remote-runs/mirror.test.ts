import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { journalFile } from '../../runner/index.ts';
import { openMirror } from './mirror.ts';

const open = () => {
  const dir = path.join(tempDir(), 'runs', 'plan_1');
  return { dir, mirror: openMirror(dir), read: () => readFileSync(journalFile(dir), 'utf8') };
};
const bytes = (text: string) => Buffer.from(text);

test('a mirror does not exist before it was created, and has no length then', () => {
  const { dir, mirror } = open();
  expect(mirror.exists()).toBe(false);
  expect(mirror.length()).toBe(0);
  expect(existsSync(dir)).toBe(false);
});

test('a mirror is private, and creating it again keeps what it has', () => {
  const { dir, mirror, read } = open();
  mirror.create();
  mirror.append(bytes('{"one":1}\n'));
  mirror.create();
  expect(read()).toBe('{"one":1}\n');
  expect(mirror.length()).toBe(10);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(journalFile(dir)).mode & 0o777).toBe(0o600);
});

test('a mirror has the bytes of the journal at their positions', () => {
  const { mirror, read } = open();
  mirror.create();
  mirror.append(bytes('{"text":"é'));
  mirror.append(bytes('"}\n'));
  expect(read()).toBe('{"text":"é"}\n');
});

test('a mirror that a power failure damaged ends with a whole record after its repair', () => {
  const { dir, mirror, read } = open();
  mirror.create();
  mirror.append(bytes('{"t":"log"}\n'));
  appendFileSync(journalFile(dir), '{"t":"l');
  expect(mirror.repair()).toBe(12);
  expect(read()).toBe('{"t":"log"}\n');
});
