import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { tempDir } from '../../../test/harness.ts';
import {
  fillLedger,
  findLosses,
  keyFileOf,
  makeInterimFolder,
  openKeyRoom,
  versionsIn,
} from '../../../test/key-room.ts';
import { interimKeyFile } from '../../drivers/vault/index.ts';
import type { KeyStep } from './steps.ts';

type At = readonly [KeyStep, number];

let dir: string;
/** A folder of today, and one that the first versions left. */
const made = { today: tempDir(), before: tempDir() };
beforeAll(async () => {
  const room = await openKeyRoom({ dir: made.today });
  fillLedger(room.db, room.vault.seal, room.vault.installationKey('audit'));
  await room.close();
  makeInterimFolder(made.before);
}, 60_000);
afterAll(() => {
  for (const folder of Object.values(made)) fs.rmSync(folder, { recursive: true });
});
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const copy = (from: keyof typeof made): void => fs.cpSync(made[from], dir, { recursive: true });

/** Resolves with the signal that ended it: a step it never passed would leave it to end by itself. */
async function killAt(deed: 'open' | 'rotate' | 'change', [step, n]: At): Promise<unknown> {
  const entry = path.join(repositoryRoot, 'server/test/key-child.ts');
  const child = spawn(process.execPath, [entry, dir, deed, step, String(n)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.on('data', (chunk) => (words += chunk));
  const [code, signal] = await once(child, 'exit');
  return signal ?? `ended with ${code}: ${words}`;
}

/** Opens the folder after a crash; nothing is lost, before what is half done goes on and after. */
async function settle() {
  const room = await openKeyRoom({ dir });
  expect(room.vault.sealedBy).toBeUndefined();
  expect(findLosses(room)).toEqual([]);
  await room.keys.settled();
  expect(findLosses(room)).toEqual([]);
  return room;
}

const everyChunk: At[] = Array.from({ length: 9 }, (_, index) => ['resealed', index + 1]);
/** Each place at which something becomes true; in a quick run only those on both sides of what cannot be undone. */
const places = depth<{ rotation: At[]; change: At[]; retrofit: At[] }>({
  quick: {
    rotation: [
      ['resealed', 4],
      ['walked', 1],
      ['retired', 1],
    ],
    // The first removal is that of the opening.
    change: [
      ['incoming', 1],
      ['verified', 1],
      ['rewrapped', 1],
    ],
    retrofit: [
      ['begun', 1],
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
    retrofit: [
      ['made', 1],
      ['begun', 1],
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

describe('a kill during a rotation loses nothing, and the rotation is finished by the next start', () => {
  test.each(places.rotation)(
    'at %s (%i)',
    async (...at) => {
      copy('today');
      expect(await killAt('rotate', at)).toBe('SIGKILL');
      const room = await settle();
      expect(versionsIn(room.db)).toEqual(['0200000003']);
      const versions = room.store.listKeys().map(({ version }) => version);
      expect([...new Set(versions)]).toEqual([3]);
      expect(room.keys.status()).toMatchObject({ sealed: false, oldKeys: 0, job: { kind: 'rotation', unreadable: 0 } });
      expect(room.keys.status().job?.finishedAt).toBeDefined();
      await room.close();
    },
    slow,
  );
});

describe('a kill during a change of the master key loses nothing, and leaves one key', () => {
  test.each(places.change)(
    'at %s',
    async (...at) => {
      copy('today');
      expect(await killAt('change', at)).toBe('SIGKILL');
      const room = await settle();
      const masters = room.db.sqlite.prepare('SELECT id, state FROM master_keys').all() as {
        id: string;
        state: string;
      }[];
      expect(masters).toMatchObject([{ state: 'active' }]);
      expect(new Set(room.store.listKeys().map(({ masterKeyId }) => masterKeyId))).toEqual(new Set([masters[0]?.id]));
      // A key that the ledger never heard of may be left beside it; it opens nothing.
      const kept = fs.readFileSync(keyFileOf(dir), 'utf8').trim().split('\n').slice(1);
      expect(kept).toHaveLength(at[0] === 'made' ? 2 : 1);
      await room.close();
    },
    slow,
  );
});

describe('a kill while the keys of the first versions are replaced loses nothing, and the next start goes on', () => {
  test.each(places.retrofit)(
    'at %s (%i)',
    async (...at) => {
      copy('before');
      expect(await killAt('open', at)).toBe('SIGKILL');
      const room = await settle();
      expect(versionsIn(room.db)).toEqual(['0200000002']);
      expect(room.store.listKeys().filter(({ scope }) => scope === 'interim')).toEqual([]);
      expect(fs.existsSync(interimKeyFile(dir))).toBe(false);
      expect(fs.readdirSync(path.join(dir, 'ledger-copies'))).toEqual([]);
      await room.close();
    },
    slow,
  );
});
