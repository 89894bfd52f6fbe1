import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { tempDir } from '../../../test/harness.ts';
import { viewLedger } from '../../kernel/db.ts';
import { removeTree } from '../../kernel/remove-tree.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => removeTree(dir));

const entry = path.join(repositoryRoot, 'server/test/interfaces-child.ts');
/** Runs a process on the ledger; returns the signal that ended it. */
function run(action: string, failpoint = ''): NodeJS.Signals | null {
  const { signal, status, stderr } = spawnSync(process.execPath, [entry, dir, action], {
    env: { ...process.env, GROUNDCTL_FAILPOINT: failpoint },
    encoding: 'utf8',
  });
  if (signal === null) expect(status, stderr).toBe(0);
  return signal;
}

function read() {
  const ledger = viewLedger(dir);
  if (!ledger) throw new Error('no ledger');
  const all = (text: string): unknown[] => ledger.sqlite.prepare(text).raw().all();
  const read = {
    interfaces: all("SELECT name, phase FROM interfaces WHERE owner_kind = 'Capsule' ORDER BY name"),
    bindings: all(
      'SELECT name, b.phase FROM interface_bindings b JOIN interfaces i ON i.id = b.interface_id ORDER BY name',
    ),
    intents: all('SELECT status, next_item_index FROM materialization_intents'),
    recorded: all('SELECT action, count(*) FROM recorded GROUP BY action ORDER BY action'),
  };
  ledger.close();
  return read;
}

const names = ['one', 'three', 'two'];
const once = {
  interfaces: names.map((name) => [name, 'Resolved']),
  bindings: names.map((name) => [name, 'Ready']),
  intents: [['done', 6]],
};
/** Passes of a failpoint before it strikes; a quick run takes the first and the last. */
const passes = (most: number): number[] =>
  depth({ quick: [1, most], deep: Array.from({ length: most }, (_, index) => index + 1) });

describe('a process that dies while it makes the Interfaces of an apply', () => {
  it.for([
    'interfaces.intent@1',
    ...passes(6).flatMap((nth) => [`interfaces.item@${nth}`, `interfaces.made@${nth}`]),
    ...passes(7).flatMap((nth) => [`ledger.commit@${nth}`, `ledger.committed@${nth}`]),
  ])('at %s makes each item once', (failpoint) => {
    expect(run('apply', `${failpoint}:kill`)).toBe('SIGKILL');
    expect(run('apply')).toBe(null);
    expect(read()).toEqual({
      ...once,
      recorded: [
        ['interface.created', 3],
        ['interface_binding.created', 3],
      ],
    });
  });
});

describe('a process that dies in the retry of a failure', () => {
  it.for([
    ...passes(4).flatMap((nth) => [`interfaces.item@${nth}`, `interfaces.made@${nth}`]),
    ...passes(5).flatMap((nth) => [`ledger.commit@${nth}`, `ledger.committed@${nth}`]),
  ])('at %s makes each item that was left once', (failpoint) => {
    expect(run('fail')).toBe(null);
    expect(read().intents).toEqual([['failed', 2]]);
    expect(run('retry', `${failpoint}:kill`)).toBe('SIGKILL');
    expect(run('retry')).toBe(null);
    expect(read()).toEqual({
      ...once,
      recorded: [
        ['interface.created', 2],
        ['interface_binding.created', 2],
        ['interface_materialization.retried', 1],
      ],
    });
  });
});
