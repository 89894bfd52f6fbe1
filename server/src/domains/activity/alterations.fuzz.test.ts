import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { startTestServer, tempDir, testKeyFile } from '../../../test/harness.ts';
import { viewKeys } from '../../compose/key-host.ts';
import { type LedgerView, openDb } from '../../kernel/db.ts';
import { verifyTrail } from './index.ts';
import type { StoredRow } from './store.ts';
import { hashOf } from './trail.ts';

/** Seeded random alterations of the trail that a real server wrote, as an attacker with access to the ledger file could make them. */
let db: LedgerView;
let key: string;
let foreignMac: string;
let length: number;
let dir: string;

beforeAll(async () => {
  const server = await startTestServer();
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const body = { workspaceId: server.workspaceId, name, url: `https://example.com/${name}` };
    const { id } = (await server.api.createSource({ body })).body.source;
    await server.api.updateSource({ params: { sourceId: id }, body: { name: `${name} again`, defaultRef: 'next' } });
    await server.api.deleteSource({ params: { sourceId: id } });
  }
  dir = tempDir();
  fs.cpSync(`${server.dataDir}/keys`, `${dir}/keys`, { recursive: true });
  server.ledger(({ sqlite }) => sqlite.exec(`VACUUM INTO '${dir}/ledger.db'`));
  await server.close();
  db = openDb(dir, () => {});
  const settings = { dataDir: dir, keyFile: testKeyFile(dir), keySource: undefined, passphraseFile: undefined };
  key = (await viewKeys(db, settings)).installationKey('audit');
  foreignMac = '0'.repeat(64);
  db.sqlite.exec('DROP TRIGGER audit_events_no_update; DROP TRIGGER audit_events_no_delete');
  length = verifyTrail(db, key).rows;
});
afterAll(() => {
  db?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

type Pick = { below: (n: number) => number; row: () => number; one: <T>(from: readonly T[]) => T };

/** Small and seeded, so that a failure can be reproduced. */
function picker(seed: number): Pick {
  let state = seed >>> 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  return { below, row: () => 1 + below(length), one: (from) => from[below(from.length)] as (typeof from)[number] };
}

const run = (sql: string, ...values: unknown[]): number => db.sqlite.prepare(sql).run(...values).changes;
const columns = [
  'id',
  'workspace_id',
  'actor_id',
  'action',
  'target_type',
  'target_id',
  'run_id',
  'metadata',
  'created_at',
  'prev_hash',
  'hash',
];
const names =
  'id, workspace_id, actor_id, action, target_type, target_id, run_id, metadata, created_at, prev_hash, hash';

const select = (seq: number): StoredRow =>
  db.sqlite
    .prepare(
      `SELECT seq, id, workspace_id AS workspaceId, actor_id AS actorId, action, target_type AS targetType,
       target_id AS targetId, run_id AS runId, metadata, created_at AS createdAt, prev_hash AS prevHash, hash
       FROM audit_events WHERE seq = ?`,
    )
    .get(seq) as StoredRow;

/** Recomputes every hash from a row on, and the head with it: only the key is missing. */
function rehash(from: number): void {
  let prevHash = from === 1 ? '0'.repeat(64) : select(from - 1).hash;
  for (let seq = from; seq <= length; seq += 1) {
    const { prevHash: _, hash: __, metadata, ...bare } = select(seq);
    const hash = hashOf({ ...bare, metadata: JSON.parse(metadata) as Record<string, unknown> }, prevHash);
    run('UPDATE audit_events SET prev_hash = ?, hash = ? WHERE seq = ?', prevHash, hash, seq);
    prevHash = hash;
  }
  run('UPDATE audit_head SET hash = ?', prevHash);
}

function swap(left: number, right: number): void {
  run('UPDATE audit_events SET seq = -1 WHERE seq = ?', left);
  run('UPDATE audit_events SET seq = ? WHERE seq = ?', left, right);
  run('UPDATE audit_events SET seq = ? WHERE seq = -1', right);
}

const shift = (from: number, by: number): void => {
  run('UPDATE audit_events SET seq = -seq - 1000000 WHERE seq >= ?', from);
  run('UPDATE audit_events SET seq = -(seq + 1000000) + ? WHERE seq < -1000', by);
};
const bendHead = (to: number): void => {
  run('UPDATE audit_head SET seq = ?, hash = ifnull((SELECT hash FROM audit_events WHERE seq = ?), hash)', to, to);
};

/** Each alteration changes something, whichever row is picked. */
const alterations: Readonly<Record<string, (pick: Pick) => void>> = {
  'a value is replaced by another': ({ row, one, below }) => {
    const column = one(columns);
    const value = column === 'created_at' ? 1 + below(1e9) : `{"x":${below(1e9)}}`;
    run(`UPDATE audit_events SET ${column} = ? WHERE seq = ?`, value, row());
  },
  'one character is flipped': ({ row, one, below }) => {
    const column = one(columns.filter((name) => name !== 'created_at'));
    const seq = row();
    const text = String(
      db.sqlite.prepare(`SELECT ifnull(${column}, '') FROM audit_events WHERE seq = ?`).pluck().get(seq),
    );
    const at = below(text.length + 1);
    const other = text[at] === 'z' ? 'y' : 'z';
    run(`UPDATE audit_events SET ${column} = ? WHERE seq = ?`, text.slice(0, at) + other + text.slice(at + 1), seq);
  },
  'metadata is spelled in another way': ({ row }) => {
    run("UPDATE audit_events SET metadata = metadata || ' ' WHERE seq = ?", row());
  },
  'a row is given the content of another': ({ below, one }) => {
    const to = 1 + below(length - 1);
    const column = one(['id', 'hash', 'prev_hash']);
    run('UPDATE audit_events SET id = id || id WHERE seq = ?', to + 1);
    run(
      `UPDATE audit_events SET ${column} = (SELECT ${column} FROM audit_events WHERE seq = ?) || 'x' WHERE seq = ?`,
      to + 1,
      to,
    );
  },
  'a row is removed': ({ row }) => void run('DELETE FROM audit_events WHERE seq = ?', row()),
  'a row is removed and the rest moves up': ({ below }) => {
    const seq = 1 + below(length - 1);
    run('DELETE FROM audit_events WHERE seq = ?', seq);
    shift(seq + 1, -1);
    bendHead(length - 1);
  },
  'the beginning is cut off': ({ row }) => void run('DELETE FROM audit_events WHERE seq <= ?', row()),
  'the beginning is cut off and the rest is renumbered from one': ({ below }) => {
    const last = 1 + below(length - 1);
    run('DELETE FROM audit_events WHERE seq <= ?', last);
    shift(last + 1, -last);
    bendHead(length - last);
  },
  'the end is cut off': ({ row }) => void run('DELETE FROM audit_events WHERE seq >= ?', row()),
  'the end is cut off and the head is changed to match': ({ row }) => {
    const first = row();
    run('DELETE FROM audit_events WHERE seq >= ?', first);
    bendHead(first - 1);
  },
  'the end and the head are cut off': ({ row }) => {
    run('DELETE FROM audit_events WHERE seq >= ?', row());
    run('DELETE FROM audit_head');
  },
  'two rows change places': ({ below }) => {
    const left = 1 + below(length - 1);
    swap(left, left + 1 + below(length - left));
  },
  'an old row is repeated at the end': ({ row, one }) => {
    const old = row();
    run(
      `INSERT INTO audit_events SELECT ?, id || 'x', ${names.replace('id, ', '')} FROM audit_events WHERE seq = ?`,
      length + 1,
      old,
    );
    if (one([true, false])) bendHead(length + 1);
  },
  'a row is inserted outside the sequence numbers': ({ row, below, one }) => {
    run(
      `INSERT INTO audit_events SELECT ?, id || 'x', ${names.replace('id, ', '')} FROM audit_events WHERE seq = ?`,
      one([0, -1, -below(1e9) - 1, length + 2 + below(1e9)]),
      row(),
    );
  },
  'a row is altered and all hashes are recomputed': ({ row, one }) => {
    const seq = row();
    run(`UPDATE audit_events SET ${one(['action', 'target_id', 'actor_id'])} = 'someone.else' WHERE seq = ?`, seq);
    rehash(seq);
  },
  'the head has another value': ({ one, below }) => {
    const change = one([
      `seq = seq + ${1 + below(9)}`,
      `seq = seq - ${1 + below(9)}`,
      `hash = '${foreignMac}'`,
      `mac = '${foreignMac}'`,
      'mac = hash',
    ]);
    run(`UPDATE audit_head SET ${change}`);
  },
  'the head is gone, or there are two': ({ one }) => {
    if (one([true, false])) run('DELETE FROM audit_head');
    else run('INSERT INTO audit_head SELECT 2, seq, hash, mac FROM audit_head');
  },
};

test('the trail of a real server verifies with the key of its data folder and with no other', () => {
  const whole = verifyTrail(db, key);
  expect(whole).toEqual({
    rows: length,
    head: { seq: length, hash: expect.stringMatching(/^[0-9a-f]{64}$/), at: expect.any(Number) },
  });
  expect(length).toBeGreaterThanOrEqual(16);
  expect(verifyTrail(db, 'another').broken).toMatchObject({ seq: length + 1, sentence: /sealed with the key/ });
});

const tries = depth({ quick: 200, deep: 10_000 });
const kinds = Object.keys(alterations);

test(`detects and describes each of ${tries} random alterations`, { timeout: 600_000 }, () => {
  const missed: string[] = [];
  const before = JSON.stringify(db.sqlite.prepare('SELECT * FROM audit_events').all());
  for (let seed = 1; seed <= tries; seed += 1) {
    const kind = kinds[seed % kinds.length] as string;
    db.sqlite.exec('BEGIN');
    alterations[kind]?.(picker(seed));
    const { broken } = verifyTrail(db, key);
    db.sqlite.exec('ROLLBACK');
    if (broken === undefined || !/^[A-Z].*\.$/.test(broken.sentence)) missed.push(`${kind}, seed ${seed}`);
  }
  expect(missed).toEqual([]);
  expect(JSON.stringify(db.sqlite.prepare('SELECT * FROM audit_events').all())).toBe(before);
});
