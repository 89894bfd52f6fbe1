import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markName } from './environment.ts';
import { endLeftoverProcesses, type Traces } from './leftover-processes.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { identityOf, isAlive } from './process-identity.ts';
import { processesFromPs } from './ps.ts';

let folder: string;
const strays: ProcessIdentity[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'leftover-')));
});
afterEach(() => {
  for (const { pid } of strays.splice(0).filter(isAlive)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Start = { script: string; cwd?: string; mark?: string; detached?: boolean };

/** Runs a shell whose script prints the pids of its leftover processes, and waits until it has printed them. */
async function start({ script, cwd = '/', mark, detached = true }: Start) {
  const env = { PATH: '/usr/bin:/bin', ...(mark === undefined ? {} : { [markName]: mark }) };
  const child = spawn('/bin/sh', ['-c', script], { cwd, env, detached, stdio: ['pipe', 'pipe', 'ignore'] });
  const leader = identityOf(child.pid as number) as ProcessIdentity;
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const left = chunk
    .toString()
    .trim()
    .split('\n')
    .map((pid) => identityOf(Number(pid)) as ProcessIdentity);
  strays.push(leader, ...left);
  return { child, leader, left };
}

const tracesOf = (leader: ProcessIdentity, mark: string): Traces => ({
  command: 'plan',
  identity: leader,
  leader,
  mark,
  groups: [],
  folder,
});

/**
 * Returns a command that leaves a process in the background and prints its pid from inside, so that it exists when the
 * pid is read.
 */
const behind = (start: string): string => `${start} sh -c 'echo $$; while :; do sleep 1; done' >&1 2>/dev/null &`;

describe.skipIf(process.platform !== 'linux')('without sandbox and control group', () => {
  test.each([
    ['of the same process group', `${behind('')} wait`],
    ['that ignores every signal it may ignore', `${behind('nohup')} wait`],
    ['in a session of its own, by the mark', `${behind('setsid')} sleep 0.2; exit 0`],
    ['that lost its parents, by the mark', `(${behind('setsid')}) & sleep 0.2; exit 0`],
    ['without an environment, by its session', `${behind('env -i')} sleep 0.2; exit 0`],
    ['without environment and session, by its folder', `cd ${'$FOLDER'}; ${behind('env -i setsid')} sleep 0.2; exit 0`],
  ])('a process %s is ended', async (_name, script) => {
    const { leader, left } = await start({ script: script.replace('$FOLDER', folder), mark: 'mark-1' });
    expect(left.every(isAlive)).toBe(true);
    expect(await endLeftoverProcesses(tracesOf(leader, 'mark-1'))).toBe(true);
    expect(left.some(isAlive)).toBe(false);
    expect(isAlive(leader)).toBe(false);
  });

  test('ends a process that starts others faster than they are found', async () => {
    const bomb = `echo $$; i=0; f() { while :; do sleep 0.01 & wait $!; done; }; while [ $i -lt 20 ]; do i=$((i+1)); f & done; wait`;
    const { leader } = await start({ script: `setsid sh -c '${bomb}' & sleep 0.3; exit 0`, mark: 'mark-2' });
    expect(await endLeftoverProcesses(tracesOf(leader, 'mark-2'))).toBe(true);
    expect(await endLeftoverProcesses(tracesOf(leader, 'mark-2'))).toBe(true);
  });

  test('does not end processes of other commands or those that ran in the folder before', async () => {
    const before = await start({ script: `${behind('')} wait`, cwd: folder });
    const [older] = before.left as [ProcessIdentity];
    const other = await start({ script: `${behind('')} wait`, mark: 'mark-4' });
    // Start times have a resolution of a hundredth of a second.
    let { leader } = other;
    while (Number(leader.startTime) <= Number(older.startTime))
      ({ leader } = await start({ script: `${behind('')} wait`, mark: 'mark-3' }));
    if (leader === other.leader) ({ leader } = await start({ script: `${behind('')} wait`, mark: 'mark-3' }));
    expect(await endLeftoverProcesses(tracesOf(leader, 'mark-3'))).toBe(true);
    expect(isAlive(leader)).toBe(false);
    expect([older, ...other.left].every(isAlive)).toBe(true);
  });

  test('searches nothing after a restart of the machine, even when a process has the same pid', async () => {
    const { leader, left } = await start({ script: `${behind('')} wait`, mark: 'mark-5' });
    expect(await endLeftoverProcesses(tracesOf({ ...leader, bootId: 'an earlier one' }, 'mark-5'))).toBe(true);
    expect(left.every(isAlive)).toBe(true);
  });

  test.each([
    ['of the same process group', `${behind('')} wait`],
    ['in a session of its own, by its parent', `${behind('setsid')} wait`],
  ])('with the list of ps, as on macOS, a process %s is ended', async (_name, script) => {
    const { leader, left } = await start({ script });
    const list = () =>
      processesFromPs(process.geteuid?.()).map((facts) =>
        facts.pid === leader.pid ? { ...facts, startTime: leader.startTime } : facts,
      );
    expect(await endLeftoverProcesses({ ...tracesOf(leader, 'unused'), folder: undefined }, list)).toBe(true);
    expect([leader, ...left].some(isAlive)).toBe(false);
  });
});
