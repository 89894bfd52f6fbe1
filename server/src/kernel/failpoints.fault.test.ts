import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { tempDir } from '../../test/harness.ts';
import { createFailpoints, failpointEnvironment, failpointNames } from './failpoints.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const codeOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

describe('a failpoint', () => {
  test('does nothing when none is armed', () => {
    for (const env of [{}, { GROUNDCTL_FAILPOINT: '' }])
      for (const name of failpointNames) expect(createFailpoints(env)(name)).toBeUndefined();
  });

  test('triggers at the nth pass of the named point only', () => {
    const pass = createFailpoints({ GROUNDCTL_FAILPOINT: 'take.begin@3:error' });
    const codes = Array.from({ length: 5 }, () => codeOf(() => pass('take.begin')));
    expect(codes).toEqual([undefined, undefined, 'EIO', undefined, undefined]);
    expect(codeOf(() => pass('take.outcome'))).toBeUndefined();
  });

  test('throws the error that would really occur there', () => {
    const code = (text: string) => codeOf(() => createFailpoints({ GROUNDCTL_FAILPOINT: text })(named(text)));
    const named = (text: string) => failpointNames.find((name) => text.startsWith(name)) ?? 'start.locked';
    expect(code('snapshot.kept:error')).toBe('EIO');
    expect(code('snapshot.kept:enospc')).toBe('ENOSPC');
    expect(code('ledger.begin:error')).toBe('SQLITE_IOERR');
    expect(code('ledger.begin:enospc')).toBe('SQLITE_FULL');
  });

  test('triggers in one of the processes that share the mark', () => {
    const env = { GROUNDCTL_FAILPOINT: 'take.begin:error', GROUNDCTL_FAILPOINT_MARK: path.join(dir, 'struck') };
    const struck = [createFailpoints(env), createFailpoints(env)].map((pass) => codeOf(() => pass('take.begin')));
    expect(struck).toEqual(['EIO', undefined]);
    expect(fs.existsSync(env.GROUNDCTL_FAILPOINT_MARK)).toBe(true);
  });

  test('refuses an unknown point or action', () => {
    for (const text of ['nowhere.at:kill', 'take.begin', 'take.begin@0:kill', 'take.begin:sing', 'take.begin@x:kill'])
      expect(() => createFailpoints({ GROUNDCTL_FAILPOINT: text })).toThrow(text);
  });

  test('ends the process that passes it', () => {
    const module = path.join(import.meta.dirname, 'failpoints.ts');
    const script = `import { failpoint } from ${JSON.stringify(module)};
      failpoint('state.insert'); console.log('once'); failpoint('state.insert'); console.log('twice');`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { GROUNDCTL_FAILPOINT: 'state.insert@2:kill' },
      encoding: 'utf8',
    });
    expect([ended.stdout, ended.signal]).toEqual(['once\n', 'SIGKILL']);
  });
});

test('passes the failpoint variables to a child when they are set, and no others', () => {
  expect(failpointEnvironment({ PATH: '/bin', HOME: '/root' })).toEqual({});
  const set = { GROUNDCTL_FAILPOINT: 'take.begin:kill', GROUNDCTL_FAILPOINT_MARK: '/tmp/mark' };
  expect(failpointEnvironment({ ...set, GROUNDCTL_SECRET: 'x' })).toEqual(set);
});

test('passes each listed point somewhere in the product, and no unlisted point', () => {
  const sources = fs
    .readdirSync(path.join(repositoryRoot, 'server/src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  const passed = new Set([...sources.matchAll(/\bfailpoint\('([^']+)'\)/g)].map(([, name]) => name));
  expect([...passed].sort()).toEqual([...failpointNames].sort());
});
