import '../../../test/in-memory.ts';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { bundleChild } from '../../../test/bundled-child.ts';
import { copyEmptyLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import { viewLedger } from '../../kernel/db.ts';
import { removeTree } from '../../kernel/remove-tree.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => removeTree(dir));

const entry = bundleChild('interfaces-child');
/** Runs a process on the ledger; returns the signal that ended it. */
function run(action: string, failpoint = '', folder = dir): NodeJS.Signals | null {
  const { signal, status, stderr } = spawnSync(process.execPath, [entry(), folder, action], {
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
/** Passes of a failpoint before it strikes; a quick run takes one in the middle, with items made and items left. */
const passes = (most: number): number[] =>
  depth({ quick: [Math.ceil(most / 2)], deep: Array.from({ length: most }, (_, index) => index + 1) });

describe('a process that dies while it makes the Interfaces of an apply', () => {
  it.for([
    'interfaces.intent@1',
    ...passes(6).flatMap((nth) => [`interfaces.item@${nth}`, `interfaces.made@${nth}`]),
    ...passes(7).flatMap((nth) => [`ledger.commit@${nth}`, `ledger.committed@${nth}`]),
  ])('at %s makes each item once', (failpoint) => {
    copyEmptyLedger(dir);
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
  const failed = tempDir();
  beforeAll(() => {
    expect(run('fail', '', failed)).toBe(null);
  });
  afterAll(() => removeTree(failed));

  it.for([
    ...passes(4).flatMap((nth) => [`interfaces.item@${nth}`, `interfaces.made@${nth}`]),
    ...passes(5).flatMap((nth) => [`ledger.commit@${nth}`, `ledger.committed@${nth}`]),
  ])('at %s makes each item that was left once', (failpoint) => {
    cpSync(failed, dir, { recursive: true });
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
