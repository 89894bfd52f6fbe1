import Database from 'better-sqlite3';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi } from './api.ts';
import { counted, few, many } from './ledger-sizes.ts';
import type { CaseResult } from './median.ts';
import { compareRequests } from './request-rounds.ts';

type Size = typeof many;

const capsuleId = `printf('cap_%026d', i)`;

/** A tenth of the Capsules is stale, a twentieth has an error; each uses one of ten. */
const insertCapsules = (workspaceId: string, sourceId: string, { capsules }: Size): string => `${counted(capsules)}
  INSERT INTO capsules (id, workspace_id, project_id, name, slug, environment, source_id, install_config_id, status,
    current_state_generation, execution_authority_epoch, labels, created_at, updated_at)
  SELECT ${capsuleId}, '${workspaceId}', (SELECT id FROM projects WHERE workspace_id = '${workspaceId}'), 'capsule ' || i,
    'capsule-' || i, 'default', '${sourceId}', 'icfg_bench',
    CASE i % 20 WHEN 3 THEN 'stale' WHEN 13 THEN 'stale' WHEN 7 THEN 'error' ELSE 'active' END, 0, 1,
    iif(i % 10 = 1, '["team/web"]', NULL), 1700000000000 + i, 1700000000000 + i FROM n`;
const insertEdges = (workspaceId: string, { capsules }: Size): string => `${counted(capsules)}
  INSERT INTO dependencies (id, workspace_id, producer_capsule_id, consumer_capsule_id, mode, outputs, visibility,
    created_by, created_at)
  SELECT 'dep_' || i, '${workspaceId}', printf('cap_%026d', 1 + i % 10), ${capsuleId}, 'variable_injection',
    '{"url":{"from":"url","to":"url","required":true}}', 'workspace', 'sub_bench', 1 FROM n WHERE i > 10`;

/** Plans and their applies alternate; one Run in a hundred failed, is of the seldom person, or of a webhook. */
const insertRuns = (workspaceId: string, { runs, capsules }: Size): string => `${counted(runs)}
  INSERT INTO runs (seq, id, workspace_id, type, status, created_by, created_at, capsule_id, capsule_name, cause,
    plan_run_id, plan_seq, apply_run_id, facts, detail, input)
  SELECT i, printf('plan_%026d', i), '${workspaceId}', iif(i % 2 = 0, 'apply', 'plan'),
    iif(i % 100 = 2, 'failed', 'succeeded'), iif(i % 100 = 3, 'sub_seldom', 'sub_often'), 1700000000000 + i,
    printf('cap_%026d', 1 + (i / 2) % ${capsules}), 'capsule ' || (i / 2) % ${capsules},
    iif(i % 100 = 4, 'webhook', 'person'), iif(i % 2 = 0, printf('plan_%026d', i - 1), NULL),
    iif(i % 2 = 0, i - 1, NULL), iif(i % 2 = 1, printf('plan_%026d', i + 1), NULL),
    json_object('resolvedCommit', printf('%08x', (i / 2) % ${runs / 20}) || 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'summary', json_object('add', 1, 'change', 0, 'destroy', 0)), '{}', '{}' FROM n`;

const filters: Readonly<Record<string, string>> = {
  newest: '',
  'of a Capsule': '&capsuleId=cap_00000000000000000000000007',
  failed: '&status=failed',
  'of a type': '&type=apply',
  'of a person': '&createdBy=sub_seldom',
  'of a cause': '&trigger=webhook',
  'of a commit': '&commit=00000007',
  'waiting for an apply': '&awaits=apply',
};
const paths: readonly [name: string, path: string][] = [
  ...Object.entries(filters).flatMap(([name, query]): [string, string][] => [
    [`Runs, ${name}`, `runs?limit=4${query}`],
    [`changes, ${name}`, `runs?view=changes&limit=4${query}`],
  ]),
  ['attention', 'attention'],
  ['attention, failed', 'attention?kind=failed&limit=1'],
  ['Capsules', 'capsules?limit=10&order=updated_desc'],
  ['Capsules with a label', 'capsules?limit=1&label=team/web'],
  ['favorites', 'favorites'],
  ['graph', 'graph'],
];

type Scene = { server: TestServer; get: Api['get']; workspaceId: string };

async function openScene(entry: string, size: Size): Promise<Scene> {
  const server = await startServer({ entry });
  const api = createApi(server);
  const workspaceId = await api.workspaceId();
  const url = 'https://example.com/modules.git';
  const { source } = await api.post<{ source: { id: string } }>('/sources', { workspaceId, name: 'Modules', url });
  const ledger = new Database(`${server.dataDir}/ledger.db`);
  // The server may be killed, because its data is not needed.
  ledger.pragma('synchronous = OFF');
  ledger.transaction(() => {
    ledger.exec(insertCapsules(workspaceId, source.id, size));
    ledger.exec(insertEdges(workspaceId, size));
    ledger.exec(insertRuns(workspaceId, size));
  })();
  ledger.close();
  return { server, get: api.get, workspaceId };
}

async function comparePages(
  [name, path]: readonly [string, string],
  { samples, large, small }: { samples: number; large: Scene; small: Scene },
): Promise<CaseResult> {
  const addressOf = ({ workspaceId }: Scene) => `/workspaces/${workspaceId}/${path}`;
  const sides = { measured: () => large.get(addressOf(large)), baseline: () => small.get(addressOf(small)) };
  return compareRequests(`large Workspace: ${name}`, { samples }, sides);
}

/** Pages of a Workspace of 1,000 Capsules and 100,000 Runs against one of a hundredth of that. */
export async function pages(samples: number, entry: string): Promise<CaseResult[]> {
  const small = await openScene(entry, few);
  try {
    const large = await openScene(entry, many);
    try {
      const results: CaseResult[] = [];
      for (const one of paths) results.push(await comparePages(one, { samples, large, small }));
      return results;
    } finally {
      await large.server.stop();
    }
  } finally {
    await small.server.stop();
  }
}
