import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { reconcileToEnd } from '#shared/kernel/reconcile';
import { type ServerEvent, serverEvents } from './server-events.ts';

export type Run = {
  id: string;
  type: string;
  status: string;
  capsuleId?: string;
  errorCode?: string;
  planDigest?: string;
};
type Plan = {
  id: string;
  phase: string;
  sourceId?: string;
  sourceSyncRunId?: string;
  compatibilityCheckRunId?: string;
  capsuleId?: string;
  planRunId?: string;
  diagnostic?: { code: string; message: string };
};
type PlanAnswer = { installPlan: Plan; nextAction: 'reconcile' | 'review_run' | 'none' };
type InstallRequest = {
  source: { name: string; url: string; ref: string; path: string };
  capsule: { name: string; environment: string };
  variables?: { [name: string]: unknown };
};

/** The calls that the benchmarks make, over HTTP as any client does. An error response throws with its code. */
export type Api = {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  /** Returns the first Workspace of the caller; the server creates a personal one when there is none. */
  workspaceId(): Promise<string>;
  createInstallPlan(workspaceId: string, request: InstallRequest): Promise<PlanAnswer>;
  /**
   * Performs steps until the plan can be reviewed; throws when it fails. `onStep` gets each response and the time of
   * its request (`performance.now()`).
   */
  reconcile(plan: PlanAnswer, onStep?: OnStep): Promise<Plan>;
  /** Follows a Run's event stream to its end, or until it waits for approval. */
  waitForRun(runId: string, onEvent?: (event: ServerEvent) => void): Promise<string>;
  /** Applies a reviewed plan Run and returns the apply Run, queued. */
  apply(planRunId: string): Promise<Run>;
};

type OnStep = (answer: PlanAnswer, requestedAt: number) => void;
type Answer = { status: number; retryAfterSeconds: number; body: unknown };
type Caller = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Answer>;

/** A client of the API under `{url}/api/v1` for one session. */
export function createApi(server: { url: string; token: string }): Api {
  const call = caller(server);
  const get = async <T>(path: string) => (await call('GET', path)).body as T;
  const post = async <T>(path: string, body: unknown = {}) => (await call('POST', path, body)).body as T;
  const waitForRun: Api['waitForRun'] = async (runId, onEvent) => {
    const url = `${server.url}/api/v1/runs/${runId}/events`;
    for await (const event of serverEvents({ url, token: server.token })) {
      onEvent?.(event);
      const { status } = event.data as { status?: string };
      if (event.event === 'end' || (event.event === 'status' && status === 'waiting_approval')) return status ?? '';
    }
    throw new Error(`The event stream of ${runId} ended before the Run did.`);
  };
  return {
    get,
    post,
    waitForRun,
    workspaceId: async () => {
      const { workspaces } = await get<{ workspaces: { id: string }[] }>('/workspaces');
      if (workspaces[0] === undefined) throw new Error('The account has no Workspace.');
      return workspaces[0].id;
    },
    createInstallPlan: (workspaceId, request) => post(`/workspaces/${workspaceId}/install-plans`, request),
    reconcile: (plan, onStep) => reconcile({ call, waitForRun, onStep }, plan),
    apply: async (planRunId) => (await post<{ run: Run }>(`/runs/${planRunId}/apply`)).run,
  };
}

function caller(server: { url: string; token: string }): Caller {
  return async (method, path, body) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() } : {}),
      },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was refused with ${response.status}: ${text.slice(0, 500)}`);
    const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
    return { status: response.status, retryAfterSeconds, body: text === '' ? undefined : JSON.parse(text) };
  };
}

type Steps = { call: Caller; waitForRun: Api['waitForRun']; onStep: OnStep | undefined };

async function reconcile({ call, waitForRun, onStep }: Steps, first: PlanAnswer): Promise<Plan> {
  const followed = new Set<string>();
  const at = `/install-plans/${first.installPlan.id}`;
  const last = await reconcileToEnd<PlanAnswer>(
    {
      reconcile: async () => {
        const requestedAt = performance.now();
        const answer = await call('POST', `${at}/reconcile`, {});
        const body = answer.body as PlanAnswer;
        onStep?.(body, requestedAt);
        return { ...answer, body };
      },
      read: async () => ({ body: (await call('GET', at)).body as PlanAnswer }),
    },
    {
      first,
      signal: new AbortController().signal,
      // A waiting step waits for a Run: its event stream reports the end at once, so the requested wait is only for others.
      pause: async (ms, _signal, answer) => {
        const plan = answer?.installPlan;
        const runId = plan?.planRunId ?? plan?.compatibilityCheckRunId ?? plan?.sourceSyncRunId;
        if (runId === undefined || followed.has(runId)) return delay(ms);
        followed.add(runId);
        await waitForRun(runId);
      },
    },
  );
  if (last.nextAction === 'review_run') return last.installPlan;
  const { phase, diagnostic } = last.installPlan;
  throw new Error(`The install plan ended in ${phase}: ${diagnostic?.code ?? ''} ${diagnostic?.message ?? ''}`);
}
