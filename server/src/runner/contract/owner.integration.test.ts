import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive } from '../../os/process-identity.ts';
import { spawnDetached } from '../../os/spawn.ts';
import type { ExecutionSpec, ProcessIdentity } from './execution-spec.ts';
import { claimFolder, notePrewarmed, releaseFolder } from './owner.ts';

test.skipIf(process.platform !== 'linux')(
  'the next owner of the folder also ends the prewarmed command of a dead supervisor',
  async () => {
    const capsuleDir = mkdtempSync(path.join(tmpdir(), 'owner-'));
    onTestFinished(() => rmSync(capsuleDir, { recursive: true, force: true }));
    const own = identityOf(process.pid) as ProcessIdentity;
    const [before, next] = ['before', 'next'].map((runId) => ({ capsuleDir, runId, mode: 'run' }) as ExecutionSpec);
    const child = await spawnDetached({
      file: '/bin/sleep',
      argv: ['300'],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const identity = identityOf(child.pid) as ProcessIdentity;
    await claimFolder(before as ExecutionSpec, { ...own, startTime: 'of one that is dead' }, []);
    const traces = { identity, leader: identity, mark: undefined, groups: [], folder: undefined };
    notePrewarmed(before as ExecutionSpec, { command: 'plan', ...traces });
    await claimFolder(next as ExecutionSpec, own, []);
    expect(isAlive(identity)).toBe(false);
    expect((await child.exited).signal).toBe('SIGKILL');
    releaseFolder(next as ExecutionSpec, own);
  },
);
