import '../../../test/in-memory.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { bundleChild } from '../../../test/bundled-child.ts';
import { tempDir } from '../../../test/harness.ts';
import {
  fillLedger,
  findLosses,
  keyFileOf,
  makeInterimFolder,
  openKeyFixture,
  versionsIn,
} from '../../../test/key-fixture.ts';
import { interimKeyFile } from '../../drivers/vault/index.ts';
import type { KeyStep } from './steps.ts';

type At = readonly [KeyStep, number];

let dir: string;
/** A data folder of the current version, and one of the first versions. */
const seedDirs = { today: tempDir(), before: tempDir() };
beforeAll(async () => {
  const fixture = await openKeyFixture({ dir: seedDirs.today });
  fillLedger(fixture.db, fixture.vault.seal, fixture.vault.installationKey('audit'));
  await fixture.close();
  makeInterimFolder(seedDirs.before);
}, 60_000);
afterAll(() => {
  for (const folder of Object.values(seedDirs)) fs.rmSync(folder, { recursive: true });
});
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const copy = (from: keyof typeof seedDirs): void => fs.cpSync(seedDirs[from], dir, { recursive: true });

const entry = bundleChild('key-child');
/** Resolves with the signal that ended the process; a process that never reaches the step exits on its own. */
async function killAt(operation: 'open' | 'rotate' | 'change', [step, n]: At): Promise<unknown> {
  const child = spawn(process.execPath, [entry(), dir, operation, step, String(n)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code, signal] = await once(child, 'exit');
  return signal ?? `ended with ${code}: ${output}`;
}

/** Opens the folder after a crash; nothing is lost, before and after the incomplete change is resumed. */
async function settle() {
  const fixture = await openKeyFixture({ dir });
  expect(fixture.vault.sealedBy).toBeUndefined();
  expect(findLosses(fixture)).toEqual([]);
  await fixture.keys.settled();
  expect(findLosses(fixture)).toEqual([]);
  return fixture;
}

const everyChunk: At[] = Array.from({ length: 9 }, (_, index) => ['resealed', index + 1]);
/** Each step at which something is persisted; a quick run uses only those around irreversible steps. */
const killPoints = depth<{ rotation: At[]; change: At[]; migration: At[] }>({
  quick: {
    rotation: [
      ['resealed', 4],
      ['walked', 1],
      ['retired', 1],
    ],
    // The first removal belongs to the opening.
    change: [
      ['incoming', 1],
      ['verified', 1],
      ['rewrapped', 1],
    ],
    migration: [
      ['started', 1],
      ['resealed', 4],
      ['vacuumed', 1],
      ['forgotten', 1],
    ],
  },
  deep: {
    rotation: [['renewed', 1], ...everyChunk, ['walked', 1], ['finished', 1], ['retired', 1]],
    change: [
      ['made', 1],
      ['incoming', 1],
      ['verified', 1],
      ['rewrapped', 1],
      ['removed', 2],
    ],
    migration: [
      ['made', 1],
      ['started', 1],
      ...everyChunk,
      ['walked', 1],
      ['vacuumed', 1],
      ['forgotten', 1],
      ['finished', 1],
      ['retired', 1],
    ],
  },
});
const slow = 60_000;

describe('a kill during a rotation loses nothing, and the next start finishes the rotation', () => {
  test.each(killPoints.rotation)(
    'at %s (%i)',
    async (...at) => {
      copy('today');
      expect(await killAt('rotate', at)).toBe('SIGKILL');
      const fixture = await settle();
      expect(versionsIn(fixture.db)).toEqual(['0200000003']);
      const versions = fixture.store.listKeys().map(({ version }) => version);
      expect([...new Set(versions)]).toEqual([3]);
      expect(fixture.keys.status()).toMatchObject({
        sealed: false,
        oldKeys: 0,
        job: { kind: 'rotation', unreadable: 0 },
      });
      expect(fixture.keys.status().job?.finishedAt).toBeDefined();
      await fixture.close();
    },
    slow,
  );
});

describe('a kill during a change of the master key loses nothing, and leaves one key', () => {
  test.each(killPoints.change)(
    'at %s',
    async (...at) => {
      copy('today');
      expect(await killAt('change', at)).toBe('SIGKILL');
      const fixture = await settle();
      const masters = fixture.db.sqlite.prepare('SELECT id, state FROM master_keys').all() as {
        id: string;
        state: string;
      }[];
      expect(masters).toMatchObject([{ state: 'active' }]);
      expect(new Set(fixture.store.listKeys().map(({ masterKeyId }) => masterKeyId))).toEqual(
        new Set([masters[0]?.id]),
      );
      // A key that the ledger never used may be left beside it; it opens nothing.
      const storedKeys = fs.readFileSync(keyFileOf(dir), 'utf8').trim().split('\n').slice(1);
      expect(storedKeys).toHaveLength(at[0] === 'made' ? 2 : 1);
      await fixture.close();
    },
    slow,
  );
});

describe('a kill while the keys of the first versions are replaced loses nothing, and the next start continues', () => {
  test.each(killPoints.migration)(
    'at %s (%i)',
    async (...at) => {
      copy('before');
      expect(await killAt('open', at)).toBe('SIGKILL');
      const fixture = await settle();
      expect(versionsIn(fixture.db)).toEqual(['0200000002']);
      expect(fixture.store.listKeys().filter(({ scope }) => scope === 'interim')).toEqual([]);
      expect(fs.existsSync(interimKeyFile(dir))).toBe(false);
      expect(fs.readdirSync(path.join(dir, 'ledger-copies'))).toEqual([]);
      await fixture.close();
    },
    slow,
  );
});
