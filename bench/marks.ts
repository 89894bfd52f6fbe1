import Database from 'better-sqlite3';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { createApi } from './api.ts';
import { counted, few, insertCapsules, many } from './ledger-sizes.ts';
import type { CaseResult } from './median.ts';
import { compareRequests } from './request-rounds.ts';

/** Capsules with drift. */
const insertDrifted = (workspaceId: string, count: number): string => `
  ${insertCapsules(workspaceId, count)}
  ${counted(count)}
  INSERT INTO drift_marks (capsule_id, workspace_id, status, run_id, checked_at, changed, deleted, digest)
  SELECT printf('cap_%026d', i), '${workspaceId}', 'drifted', 'plan_' || i, 1700000000000 + i, 1, 1, printf('sha256:%064x', i) FROM n;`;

/** The newest Run of each Capsule is a plan that waits for an approval, which a person requested. */
const insertRuns = (workspaceId: string, { capsules, runs }: typeof many): string => `${counted(runs)}
  INSERT INTO runs
    (id, workspace_id, type, status, created_by, created_at, capsule_id, capsule_name, plan_digest, plan_expires_at, facts, detail, input)
  SELECT printf('plan_%026d', i), '${workspaceId}', 'plan', iif(i > ${runs - capsules}, 'waiting_approval', 'cancelled'),
    'sub_bench', 1700000000000 + i, printf('cap_%026d', 1 + i % ${capsules}), 'service-' || (1 + i % ${capsules}), printf('sha256:%064x', i),
    iif(i > ${runs - capsules}, 9000000000000, NULL),
    '{"hasChanges":true,"approvalRequest":{"by":"sub_bench","at":"2026-01-01T00:00:00.000Z"}}', '{}', '{}' FROM n;`;

const paths: readonly [name: string, path: string][] = [
  ['page: drift', 'drift?limit=10'],
  ['page: Capsules with drift', 'capsules?limit=10'],
  ['notifications: plans that wait', 'waiting'],
];

type Ledger = { server: TestServer; get: (path: string) => Promise<unknown> };

async function openLedger(entry: string, size: typeof many): Promise<Ledger> {
  const server = await startServer({ entry });
  const api = createApi(server);
  const workspaceId = await api.workspaceId();
  const ledger = new Database(`${server.dataDir}/ledger.db`);
  // The server may be killed, because its data is not needed.
  ledger.pragma('synchronous = OFF');
  ledger.transaction(() => {
    ledger.exec(insertDrifted(workspaceId, size.capsules));
    ledger.exec(insertRuns(workspaceId, size));
  })();
  ledger.close();
  return { server, get: (path) => api.get(`/workspaces/${workspaceId}/${path}`) };
}

/** Drift and waiting plans of many Capsules against a hundredth of them; the two servers are queried in turn. */
export async function marks(samples: number, entry: string): Promise<CaseResult[]> {
  const small = await openLedger(entry, few);
  try {
    const large = await openLedger(entry, many);
    try {
      const results: CaseResult[] = [];
      for (const [name, path] of paths) {
        const sides = { measured: () => large.get(path), baseline: () => small.get(path) };
        results.push(await compareRequests(name, { samples }, sides));
      }
      return results;
    } finally {
      await large.server.stop();
    }
  } finally {
    await small.server.stop();
  }
}
