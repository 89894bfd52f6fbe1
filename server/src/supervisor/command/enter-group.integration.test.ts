import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool } from '../../os/spawn.ts';
import { inGroup, refusedExit } from './enter-group.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'groundctl-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: ReturnType<typeof inGroup>) => runTool({ ...program, env: {}, timeoutMs: 10_000 });
const program = { file: '/bin/sh', argv: ['-c', 'printf "%s|" "$@"; exit 7', 'sh', 'a b', '--', '$HOME', ''] };

test('without a group a program is started unchanged', () => {
  expect(inGroup([], program)).toEqual(program);
  expect(inGroup(undefined, program)).toEqual(program);
});

test('a program enters every folder of its group before it runs, with its own arguments and exit code', async () => {
  const entries = ['tasks one', 'tasks two'].map((name) => path.join(folder, name));
  const end = await run(inGroup(entries, program));
  expect(end).toMatchObject({ stdout: 'a b|--|$HOME||', stderr: '', code: 7 });
  for (const entry of entries) expect(readFileSync(entry, 'utf8')).toBe('0\n');
});

test('a program that a group refuses does not run', async () => {
  const end = await run(inGroup([path.join(folder, 'tasks'), path.join(folder, 'none', 'tasks')], program));
  expect(end).toMatchObject({ stdout: '', stderr: '', code: refusedExit });
});
