import Database from 'better-sqlite3';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi } from './api.ts';
import { counted, few, many } from './ledger-sizes.ts';
import type { CaseResult } from './median.ts';
import { compareRequests } from './request-rounds.ts';

/** One Source, and Capsules of which every tenth is a database. */
const insertCapsules = (workspaceId: string, count: number): string => `
  INSERT INTO sources
    (id, workspace_id, name, url, default_ref, default_path, status, auto_sync, hook_secret, created_at, updated_at)
  VALUES ('src_bench', '${workspaceId}', 'modules', 'https://git.example.com/team/modules.git', 'HEAD', '.', 'active', 0, x'00', 1, 1);
  ${counted(count)}
  INSERT INTO capsules
    (id, workspace_id, project_id, name, slug, environment, source_id, install_config_id, status,
     current_state_generation, execution_authority_epoch, created_at, updated_at)
  SELECT printf('cap_%026d', i), '${workspaceId}', 'prj_default_${workspaceId}',
    iif(i % 10 = 0, 'database-', 'service-') || i, 'capsule-' || i, 'default', 'src_bench', 'icfg_bench', 'active', 1, 1,
    1700000000000 + i, 1700000000000 + i FROM n;`;

/** A hundred Runs of each commit. */
const insertRuns = (workspaceId: string, count: number): string => `${counted(count)}
  INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, capsule_id, capsule_name, facts, detail, input)
  SELECT printf('plan_%026d', i), '${workspaceId}', 'plan', 'succeeded', 'sub_bench', 1700000000000 + i,
    printf('cap_%026d', i % 100), 'service-' || (i % 100), json_object('resolvedCommit', printf('%08x', (i / 100) * 7919)
    || '00000000000000000000000000000000'), '{}', '{}' FROM n;`;

const searches: readonly [name: string, q: string][] = [
  ['start of a name', 'service-1'],
  ['part of a name', 'base'],
  ['address', 'git.example.com'],
  ['id of a Run', `plan_${'7'.padStart(26, '0')}`],
  ['start of a commit', '00001eef'],
  ['no match', 'nothing is called this'],
];

type Ledger = { server: TestServer; search: (q: string) => Promise<unknown> };

async function openLedger(entry: string, { capsules, runs }: typeof many): Promise<Ledger> {
  const server = await startServer({ entry });
  const api: Api = createApi(server);
  const workspaceId = await api.workspaceId();
  const ledger = new Database(`${server.dataDir}/ledger.db`);
  // The server may be killed, because its data is not needed.
  ledger.pragma('synchronous = OFF');
  ledger.transaction(() => {
    ledger.exec(insertCapsules(workspaceId, capsules));
    ledger.exec(insertRuns(workspaceId, runs));
  })();
  ledger.close();
  const path = (q: string) => `/search?q=${encodeURIComponent(q)}&selectedWorkspaceId=${workspaceId}`;
  return { server, search: (q) => api.get(path(q)) };
}

/** Searches among many records against a hundredth of them; the two servers are queried in turn. */
export async function search(samples: number, entry: string): Promise<CaseResult[]> {
  const small = await openLedger(entry, few);
  try {
    const large = await openLedger(entry, many);
    try {
      const results: CaseResult[] = [];
      for (const [name, q] of searches) {
        const sides = { measured: () => large.search(q), baseline: () => small.search(q) };
        results.push(await compareRequests(`search: ${name}`, { samples }, sides));
      }
      return results;
    } finally {
      await large.server.stop();
    }
  } finally {
    await small.server.stop();
  }
}
