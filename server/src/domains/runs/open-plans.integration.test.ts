import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import type { Db } from '../../kernel/db.ts';
import { createOrm } from '../../kernel/orm.ts';
import { createNotificationsStore } from '../notifications/index.ts';
import { createRunsStore } from './store.ts';

let dir: string;
let db: Db;
beforeAll(() => {
  dir = tempDir();
  db = openTestLedger(dir);
});
afterAll(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

/** Returns how SQLite finds the rows of `runs` for the queries of this work. */
function accessesOf(work: () => unknown): string[] {
  const { sqlite } = db;
  const texts: string[] = [];
  const prepare = sqlite.prepare.bind(sqlite);
  sqlite.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof sqlite.prepare;
  try {
    work();
  } finally {
    sqlite.prepare = prepare;
  }
  return texts.flatMap((text) => {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
    return steps.map(({ detail }) => detail).filter((detail) => / runs\b/.test(detail));
  });
}

const filter = { workspaceId: 'ws', before: 1e9, now: 1, limit: 20 };

test('plans that wait are found among the few that may be applied, not among all Runs', () => {
  // With an own query builder each, because one compiles equal texts once.
  const ownDb = (): Db => ({ ...db, orm: createOrm(db.sqlite) });
  const waiting = { workspaceId: 'ws', accountId: 'sub', now: 1, most: 20 };
  const queries: (() => unknown)[] = [
    () => createNotificationsStore(ownDb()).countWaiting(waiting),
    () => createNotificationsStore(ownDb()).listRequested(waiting),
    () => createRunsStore(ownDb()).listRuns({ ...filter, awaits: 'apply' }),
    () => createRunsStore(ownDb()).listRuns({ ...filter, awaits: 'approve' }),
  ];
  for (const query of queries)
    expect(accessesOf(query)[0]).toBe('SEARCH runs USING INDEX runs_open_plans (plan_expires_at>?)');
});
