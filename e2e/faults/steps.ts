import type { Run } from '#shared/runs/contract';
import { type Answer, createHttp } from '../fixtures/http.ts';
import { getRun, planAgain } from '../fixtures/journey.ts';
import type { Kind } from './control.ts';
import type { Plot } from './plot.ts';

/** Visible result of a step: the response of the server, the Run it started, and a check that it still holds later. */
export type Seen = { answer: Answer<unknown>; run?: Run; holds?: () => Promise<boolean> };
export type Step = {
  name: string;
  /** Parts of paths that it writes to, and the approximate number of calls for each. */
  targets: readonly (readonly [include: string, calls: number])[];
  /** Prepares what must not fail; then the faults begin. */
  prepare?: (plot: Plot) => Promise<unknown>;
  play(plot: Plot, prepared: unknown): Promise<Seen>;
};

let number = 0;
const nextName = (): string => {
  number += 1;
  return `plot-${number}`;
};

export const renameSource: Step = {
  name: 'a Source is renamed',
  targets: [['ledger.db-wal', 12]],
  async play({ harness: { http }, sourceId }) {
    const name = nextName();
    const answer = await http.patch(`/api/v1/sources/${sourceId}`, { name });
    const holds = async () => {
      const { body } = await http.get<{ source: { name: string } }>(`/api/v1/sources/${sourceId}`);
      return body.source.name === name;
    };
    return { answer, ...(answer.status === 200 && { holds }) };
  },
};

export const signIn: Step = {
  name: 'a session is opened',
  targets: [['ledger.db-wal', 12]],
  async play({ harness: { server } }) {
    const asOperator = createHttp({ url: server.url, token: server.operatorToken });
    const answer = await asOperator.post<{ session?: { token: string } }>('/internal/v1/account-sessions', {});
    const { token } = answer.body.session ?? {};
    if (token === undefined) return { answer };
    const holds = async () => (await createHttp({ url: server.url, token }).get('/api/v1/workspaces')).status === 200;
    return { answer, holds };
  },
};

export const addSource: Step = {
  name: 'a Source is added',
  targets: [['ledger.db-wal', 16]],
  async play({ harness: { http, workspaceId }, other: { url } }) {
    const input = { workspaceId, name: nextName(), url };
    const answer = await http.post<{ source?: { id: string } }>('/api/v1/sources', input);
    const id = answer.body.source?.id;
    if (id === undefined) return { answer };
    return { answer, holds: async () => (await http.get(`/api/v1/sources/${id}`)).status === 200 };
  },
};

/** Starts a Run by a POST; an accepted one exists from then on. */
async function startRun({ harness }: Plot, path: string, body?: unknown): Promise<Seen> {
  const answer = await harness.http.post<{ run?: Run }>(path, body);
  const { run } = answer.body;
  if (run === undefined) return { answer };
  return { answer, run, holds: async () => (await getRun(harness, run.id))?.id === run.id };
}

export const sync: Step = {
  name: 'a Source is synced',
  targets: [
    ['archives', 4],
    ['git/', 2],
    ['ledger.db-wal', 80],
    ['', 80],
  ],
  prepare: async ({ other }) => other.commit(),
  play: (plot) => startRun(plot, `/api/v1/sources/${plot.other.id}/sync`),
};

const runTargets = [
  ['runs/', 24],
  ['runs/', 8],
  ['journal', 8],
  ['capsules/', 6],
  ['ledger.db-wal', 100],
  ['', 140],
] as const;

export const plan: Step = {
  name: 'a Capsule is planned',
  targets: runTargets,
  play: (plot) => startRun(plot, `/api/v1/capsules/${plot.capsuleId}/plan`),
};

export const apply: Step = {
  name: 'a plan is applied',
  targets: [...runTargets, ['.tfstate', 3]],
  prepare: ({ harness, capsuleId }) => planAgain(harness, capsuleId),
  play(plot, prepared) {
    const { id, planDigest } = prepared as Run;
    return startRun(plot, `/api/v1/runs/${id}/apply`, { planDigest });
  },
};

/** Calls that a failing disk refuses. */
export const failing: readonly Kind[] = ['write', 'fsync', 'fsyncFolder', 'create', 'rename', 'truncate', 'mkdir'];
/** Calls that need disk space. */
export const growing: readonly Kind[] = ['write', 'create', 'mkdir', 'truncate', 'link', 'symlink'];

/**
 * Accepted, refused for a reason of its own, or refused because the disk accepts no writes: never an error without a
 * code.
 */
export const isPlain = ({ answer: { status, text } }: Seen): boolean =>
  status < 300 || status === 409 || (status === 503 && text.includes('"ledger_read_only"'));
