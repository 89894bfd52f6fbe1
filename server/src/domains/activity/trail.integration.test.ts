import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { createCursors } from '../../kernel/page.ts';
import { createActivityService } from './service.ts';

let dir: string;
let db: Db;
let activity: ReturnType<typeof createActivityService>;
const length = 24;
beforeEach(() => {
  dir = tempDir();
  db = openTestLedger(dir);
  activity = createActivityService({ db, clock: systemClock, cursors: createCursors('key'), installationKey: 'audit' });
  db.write(() => {
    for (let n = 1; n <= length; n += 1)
      activity.record({
        workspaceId: n % 3 === 0 ? undefined : 'ws_a',
        actorId: n % 2 === 0 ? 'sub_a' : undefined,
        action: 'run.approved',
        targetType: 'run',
        targetId: `plan_${n}`,
        runId: n % 4 === 0 ? `plan_${n}` : undefined,
        metadata: { n },
      });
  });
});
afterEach(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

/** Alterations that an attacker with access to the ledger file could make. */
const disarm = () => db.sqlite.exec('DROP TRIGGER audit_events_no_update; DROP TRIGGER audit_events_no_delete');
/** Applies the alteration, verifies the trail, and restores everything. */
function afterTampering(...statements: string[]): number | undefined {
  db.sqlite.exec('BEGIN');
  try {
    for (const statement of statements) expect(db.sqlite.prepare(statement).run().changes).toBeGreaterThan(0);
    return activity.findBreak();
  } finally {
    db.sqlite.exec('ROLLBACK');
  }
}

test('an unaltered trail verifies', () => {
  expect(activity.findBreak()).toBeUndefined();
});

test('the ledger itself refuses to change or remove a row, also by replacing it', () => {
  const statements = [
    "UPDATE audit_events SET action = 'x'",
    'DELETE FROM audit_events',
    'DELETE FROM audit_events WHERE seq = 3',
    "UPDATE OR REPLACE audit_events SET metadata = '{}' WHERE seq = 1",
    'REPLACE INTO audit_events SELECT * FROM audit_events WHERE seq = 2',
    'INSERT OR REPLACE INTO audit_events SELECT * FROM audit_events WHERE seq = 2',
  ];
  for (const statement of statements) expect(() => db.sqlite.exec(statement), statement).toThrow(/append-only/);
  expect(activity.findBreak()).toBeUndefined();
});

describe('with the triggers gone', () => {
  beforeEach(disarm);

  test('every change of every column of every row is detected at its row', () => {
    const changes = {
      id: "id || 'x'",
      workspace_id: "ifnull(workspace_id, '') || 'x'",
      actor_id: "ifnull(actor_id, '') || 'x'",
      action: "action || 'x'",
      target_type: "target_type || 'x'",
      target_id: "target_id || 'x'",
      run_id: "CASE WHEN run_id IS NULL THEN '' ELSE NULL END",
      metadata: '\'{"n":"1"}\'',
      created_at: 'created_at + 1',
      prev_hash: "replace(prev_hash, substr(prev_hash, 1, 1), 'g')",
      hash: 'hash || hash',
    };
    for (let seq = 1; seq <= length; seq += 1)
      for (const [column, value] of Object.entries(changes)) {
        const brokenSeq = afterTampering(`UPDATE audit_events SET ${column} = ${value} WHERE seq = ${seq}`);
        expect([column, brokenSeq]).toEqual([column, seq]);
      }
  });

  test('every removed row, every pair of swapped rows and every inserted row is detected', () => {
    for (let seq = 1; seq <= length; seq += 1)
      expect(afterTampering(`DELETE FROM audit_events WHERE seq = ${seq}`)).toBe(seq);
    for (let seq = 1; seq < length; seq += 1)
      expect(
        afterTampering(
          `UPDATE audit_events SET seq = -1 WHERE seq = ${seq}`,
          `UPDATE audit_events SET seq = ${seq} WHERE seq = ${seq + 1}`,
          `UPDATE audit_events SET seq = ${seq + 1} WHERE seq = -1`,
        ),
      ).toBe(seq);
    expect(
      afterTampering(
        `INSERT INTO audit_events SELECT seq + 1, id || 'x', workspace_id, actor_id, action, target_type, target_id, run_id, metadata, created_at, hash, hash FROM audit_events WHERE seq = ${length}`,
      ),
    ).toBe(length + 1);
  });

  test('a truncated tail is detected, also with a head that was changed to match', () => {
    for (let last = 0; last < length; last += 1) {
      const cut = `DELETE FROM audit_events WHERE seq > ${last}`;
      expect(afterTampering(cut)).toBe(last + 1);
      expect(afterTampering(cut, 'DELETE FROM audit_head')).toBe(last + 1);
      if (last === 0) continue;
      const bent = `UPDATE audit_head SET seq = ${last}, hash = (SELECT hash FROM audit_events WHERE seq = ${last})`;
      expect(afterTampering(cut, bent)).toBe(last + 1);
    }
  });
});

test('a Workspace lists its own rows, newest first, page by page', () => {
  const first = activity.list('ws_a', { limit: 10 });
  const second = activity.list('ws_a', { limit: 10, cursor: first.nextCursor });
  const numbers = [...first.events, ...second.events].map(({ metadata }) => metadata.n);
  const own = Array.from({ length }, (_, n) => n + 1).filter((n) => n % 3 !== 0);
  expect(numbers).toEqual(own.reverse());
  expect(second.nextCursor).toBeUndefined();
  expect(() => activity.list('ws_b', { cursor: first.nextCursor })).toThrow(/cursor/);
});
