import Database from 'better-sqlite3';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi } from './api.ts';
import { counted } from './ledger-sizes.ts';
import type { CaseResult } from './median.ts';
import { compareRequests } from './request-rounds.ts';

const few = 1_000;
const manyRuns = 100_000;
const manyRows = 1_000_000;

/** One Run in fifty is a drift check and one in a hundred failed; they are spread over a hundred Capsules. */
const insertRuns = (workspaceId: string, from: number, to: number): string => `${counted(to, from)}
  INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, capsule_id, capsule_name, facts, detail, input)
  SELECT printf('plan_%026d', i), '${workspaceId}', iif(i % 50 = 0, 'drift_check', 'plan'),
    iif(i % 100 = 0, 'failed', 'succeeded'), 'sub_bench', 1700000000000 + i, printf('cap_%026d', i % 100),
    'capsule ' || (i % 100), '{}', '{}', '{}' FROM n`;

/** Rows of a busy Workspace. Their hash chain is not valid, because it is not read here. */
const insertActivity = (workspaceId: string, from: number, to: number): string => `${counted(to, from)}
  INSERT INTO audit_events
    (seq, id, workspace_id, actor_id, action, target_type, target_id, run_id, metadata, created_at, prev_hash, hash)
  SELECT 1000 + i, printf('act_%026d', i), '${workspaceId}', iif(i % 100 = 7, 'sub_seldom', 'sub_often'),
    iif(i % 100 = 0, 'source.synced', 'run.applied'), iif(i % 100 = 0, 'source', 'run'), printf('plan_%026d', i),
    printf('plan_%026d', i), json_object('capsuleId', printf('cap_%026d', i % 100)), 1700000000000 + i, '', '' FROM n`;

/** Lists by name, with the query of a page of a hundred rows, or of fewer where fewer match. */
const runLists = {
  newest: '',
  'of a Capsule': '&capsuleId=cap_00000000000000000000000007',
  failed: '&status=failed',
  'of a type': '&type=drift_check',
};
const activityLists = {
  newest: '',
  'of a Capsule': '&capsuleId=cap_00000000000000000000000007',
  'of a kind': '&targetType=source',
  'of a person': '&actorId=sub_seldom',
  'of a person and a kind': '&actorId=sub_often&targetType=source',
};

const paths: readonly [name: string, path: string][] = [
  ...Object.entries(runLists).map(([name, query]): [string, string] => [`Runs, ${name}`, `runs?limit=4${query}`]),
  ...Object.entries(activityLists).map(([name, query]): [string, string] => [
    `activity, ${name}`,
    `activity?limit=4${query}`,
  ]),
];

type History = { server: TestServer; get: Api['get']; workspaceId: string };

async function openHistory(entry: string, { runs, rows }: { runs: number; rows: number }): Promise<History> {
  const server = await startServer({ entry });
  const api = createApi(server);
  const workspaceId = await api.workspaceId();
  const ledger = new Database(`${server.dataDir}/ledger.db`);
  // The server may be killed, because its data is not needed.
  ledger.pragma('synchronous = OFF');
  ledger.transaction(() => {
    ledger.exec(insertRuns(workspaceId, 1, runs));
    ledger.exec(insertActivity(workspaceId, 1, rows));
  })();
  ledger.close();
  return { server, get: api.get, workspaceId };
}

/** Addresses of a first page and of the next one, by its cursor. */
async function pagesOf({ get, workspaceId }: History, path: string): Promise<string[]> {
  const first = `/workspaces/${workspaceId}/${path}`;
  const { nextCursor = '' } = await get<{ nextCursor?: string }>(first);
  return [first, `${first}&cursor=${encodeURIComponent(nextCursor)}`];
}

/** Pages of a long history against pages of a short one, of equal size; the two servers are queried in turn. */
async function comparePages(
  name: string,
  path: string,
  sides: { samples: number; long: History; short: History },
): Promise<CaseResult> {
  const { samples, long, short } = sides;
  const [many, little] = [await pagesOf(long, path), await pagesOf(short, path)];
  return compareRequests(
    `page: ${name}`,
    { samples, goal: 1.2 },
    {
      measured: (index) => long.get(many[index % 2] ?? ''),
      baseline: (index) => short.get(little[index % 2] ?? ''),
    },
  );
}

/** List pages at a long history against a short one. */
export async function lists(samples: number, entry: string): Promise<CaseResult[]> {
  const short = await openHistory(entry, { runs: few, rows: few });
  try {
    const long = await openHistory(entry, { runs: manyRuns, rows: manyRows });
    try {
      const results: CaseResult[] = [];
      for (const [name, path] of paths) results.push(await comparePages(name, path, { samples, long, short }));
      return results;
    } finally {
      await long.server.stop();
    }
  } finally {
    await short.server.stop();
  }
}
