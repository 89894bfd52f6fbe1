import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Target } from './attempts.ts';

type Plan = { phase: string; planRunId?: string; compatibilityReportId?: string; diagnostic?: object };
type Request = { method: string; path: string; key: string | undefined };

const target: Target = {
  capsuleId: 'cap_1',
  sourceId: 'src_1',
  ref: 'main',
  snapshotId: 'snap_1',
  reportId: 'report_1',
};
const report = { level: 'ready', sourceSnapshotId: 'snap_1' } as const;
const synced: Plan = { phase: 'analyzing_compatibility' };
const checked: Plan = { phase: 'planning', compatibilityReportId: 'report_2' };
const planned: Plan = { ...checked, planRunId: 'plan_2' };
const reviewable: Plan = { ...planned, phase: 'reviewable' };

/** Records that fill the variables `set`, `sealed` and `linked`. */
const records: Readonly<Record<string, object>> = {
  '/capsules/cap_1': { capsule: { installConfigId: 'icfg_1' } },
  '/capsule-configs/icfg_1': { installConfig: { variableMapping: { set: 1, sealed: '[REDACTED]' } } },
  '/capsules/cap_1/dependencies': { asProducer: [], asConsumer: [{ outputs: { a: { from: 'x', to: 'linked' } } }] },
  '/capsules/cap_1/provider-bindings': { providerBindingSet: null },
};

/** A server whose revision plan takes these steps, one for each reconcile. */
function createServer(
  steps: readonly Plan[],
  { providers = [] as readonly string[], variables = [] as readonly string[] } = {},
) {
  const requests: Request[] = [];
  let at: Plan = { phase: 'syncing_source' };
  let lost = 0;
  const answerOf = (plan: Plan) => ({
    revisionPlan: { id: 'grp_1', updatedAt: '2026-01-01T00:00:00Z', revision: { targetRef: 'main' }, ...plan },
    nextAction: plan.phase === 'reviewable' ? 'review_run' : plan.phase === 'failed' ? 'none' : 'reconcile',
  });
  const left = [...steps];
  const reportOf = (path: string) => ({
    report: {
      findings: [],
      rootModuleVariableDeclarations: variables.map((name) => ({ name, hasDefault: false })),
      providerPackages: (path.endsWith('report_2') ? providers : []).map((source) => ({ source })),
    },
  });
  const bodyOf = (method: string, path: string): object => {
    if (path.startsWith('/compatibility-reports/')) return reportOf(path);
    const record = records[path];
    if (record) return record;
    if (path.endsWith('/plan')) return { run: { id: 'plan_same' } };
    if (path.endsWith('/cancel')) at = { phase: 'failed', diagnostic: { code: 'revision_plan_cancelled' } };
    else if (path.endsWith('/reconcile')) at = left.shift() ?? at;
    return method === 'GET' || method === 'POST' ? answerOf(at) : {};
  };
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', headers }: RequestInit) => {
    const path = address.replace('/api/v1', '');
    requests.push({ method, path, key: new Headers(headers).get('idempotency-key') ?? undefined });
    if (lost > 0) {
      lost -= 1;
      throw new TypeError('The connection broke.');
    }
    return new Response(JSON.stringify(bodyOf(method, path)));
  });
  return {
    requests,
    sent: () => requests.filter(({ method }) => method === 'POST').map(({ path }) => path),
    loseAnswers: (count: number) => {
      lost = count;
    },
    left,
  };
}

/** The modules of a page that was just loaded, by a reload or by a link. */
async function loadPage(type: 'reload' | 'navigate' = 'navigate') {
  vi.resetModules();
  const navigation = { type } as PerformanceNavigationTiming;
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([navigation]);
  return { ...(await import('./plan-attempts.ts')), ...(await import('./attempts.ts')) };
}

const creation = '/capsules/cap_1/revision-plans';
const step = '/revision-plans/grp_1/reconcile';
const failed = (code: string, more: object = {}): Plan => ({
  phase: 'failed',
  diagnostic: { code, message: 'why', planCreationStage: 'source', ...more },
});

/** Receives the events of the document that was loaded last. */
let leaving: EventTarget;

beforeEach(() => {
  const values = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  });
  vi.stubGlobal('location', { pathname: '/capsules/cap_1' });
  leaving = new EventTarget();
  vi.stubGlobal('addEventListener', leaving.addEventListener.bind(leaving));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('an attempt to plan the newest commit', () => {
  it('is one revision plan, however often it is started, and opens its plan Run', async () => {
    const server = createServer([synced, checked, planned, reviewable]);
    const page = await loadPage();
    const opened: string[] = [];
    page.watchAttempt('cap_1', (id) => opened.push(id));
    page.startAttempt(target, 'newest', report);
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => opened).toEqual(['plan_2']);
    expect(page.findAttempt('cap_1')).toBeUndefined();
    // The revision plan is brought to its end after the page has opened the Run.
    await expect.poll(() => server.left).toEqual([]);
    expect(server.sent()).toEqual([creation, step, step, step, step]);
  });

  it('repeats a creation whose answer was lost with the same key', async () => {
    const server = createServer([failed('source_sync_failed')]);
    const page = await loadPage();
    server.loseAnswers(1);
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.failure?.kind).toBe('refused');
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.failure?.kind).toBe('sync');
    const keysOf = () => server.requests.filter(({ path }) => path === creation).map(({ key }) => key);
    expect([keysOf().length, new Set(keysOf()).size]).toEqual([2, 1]);
    // A plan that has failed is not continued.
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => new Set(keysOf()).size).toBe(2);
  });

  it('does nothing further until the user has confirmed a new program', async () => {
    const server = createServer([synced, checked, planned, reviewable], { providers: ['test/fake'] });
    const page = await loadPage();
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.asks).toBe(true);
    expect([server.sent(), page.findAttempt('cap_1')?.step]).toEqual([[creation, step, step], 'plan']);
    page.confirmAttempt('cap_1');
    await expect.poll(() => server.left).toEqual([]);
  });

  it('asks for the values that the commit requires and nothing fills, also after a confirmation', async () => {
    const variables = ['set', 'sealed', 'linked', 'region'];
    const server = createServer([synced, checked], { providers: ['test/fake'], variables });
    const page = await loadPage();
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.missing).toEqual(['region']);
    page.confirmAttempt('cap_1');
    await expect.poll(() => page.findAttempt('cap_1')?.asks).toBe(true);
    expect(server.sent()).toEqual([creation, step, step]);
  });

  it('gives up its question for another ref, with a new revision plan', async () => {
    const server = createServer([synced, checked], { providers: ['test/fake'] });
    const page = await loadPage();
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.asks).toBe(true);
    page.startAttempt(target, 'newest', report);
    expect(page.findAttempt('cap_1')?.asks).toBe(true);
    page.startAttempt({ ...target, ref: 'v2.0.0' }, 'newest', report);
    expect(page.findAttempt('cap_1')).toMatchObject({ target: { ref: 'v2.0.0' }, step: 'sync' });
    await expect.poll(() => server.sent().filter((path) => path === creation)).toHaveLength(2);
    expect(server.sent()).toContain('/revision-plans/grp_1/cancel');
  });

  it('ends its revision plan when the user closes it', async () => {
    const server = createServer([synced, checked], { providers: ['test/fake'] });
    const page = await loadPage();
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.asks).toBe(true);
    page.closeAttempt('cap_1');
    await expect.poll(() => server.sent().at(-1)).toBe('/revision-plans/grp_1/cancel');
    expect(page.findAttempt('cap_1')).toBeUndefined();
  });

  it('continues with the same revision plan after a reload', async () => {
    const server = createServer([synced, checked, planned, reviewable], { providers: ['test/fake'] });
    const before = await loadPage();
    before.startAttempt(target, 'newest', report);
    await expect.poll(() => before.findAttempt('cap_1')?.asks).toBe(true);
    const page = await loadPage();
    page.watchAttempt('cap_1', () => undefined);
    expect(page.findAttempt('cap_1')?.asks).toBe(true);
    page.confirmAttempt('cap_1');
    await expect.poll(() => server.left).toEqual([]);
    expect(server.sent().filter((path) => path === creation)).toHaveLength(1);
  });

  it('opens its plan Run again when a reload has replaced the page of the Run, but only then', async () => {
    createServer([synced, checked, planned, reviewable]);
    const before = await loadPage();
    const opened: string[] = [];
    before.watchAttempt('cap_1', (id) => opened.push(id));
    before.startAttempt(target, 'newest', report);
    await expect.poll(() => opened).toEqual(['plan_2']);
    const page = await loadPage('reload');
    const stop = page.watchAttempt('cap_1', (id) => opened.push(id));
    expect(opened).toEqual(['plan_2', 'plan_2']);
    stop();
    page.watchAttempt('cap_1', (id) => opened.push(id));
    expect(opened).toHaveLength(2);
  });

  it('opens its plan Run after a reload although the page that is left still goes on', async () => {
    createServer([synced, checked, planned, reviewable]);
    const before = await loadPage();
    const opened: string[] = [];
    before.watchAttempt('cap_1', () => undefined);
    before.startAttempt(target, 'newest', report);
    leaving.dispatchEvent(new Event('beforeunload'));
    await expect.poll(() => before.findAttempt('cap_1')).toBeUndefined();
    // Another part of that page is shown before it is replaced.
    before.watchAttempt('cap_1', () => undefined);
    (await loadPage('reload')).watchAttempt('cap_1', (id) => opened.push(id));
    expect(opened).toEqual(['plan_2']);
  });

  it('does not open its plan Run again when its page is opened by a link', async () => {
    const before = await loadPage();
    before.saveOpenedRun('cap_1', 'plan_2');
    const opened: string[] = [];
    (await loadPage()).watchAttempt('cap_1', (id) => opened.push(id));
    expect(opened).toEqual([]);
  });

  it.each([
    [failed('source_sync_failed'), { step: 'sync', failure: { kind: 'sync', message: 'why' } }],
    [
      {
        ...failed('revision_compatibility_not_runnable', { planCreationStage: 'preparation' }),
        ...{ compatibilityReportId: 'report_2' },
      },
      { step: 'check', reportId: 'report_2', failure: { kind: 'findings' } },
    ],
    [
      failed('revision_plan_failed', { planCreationStage: 'create', reason: 'run_queue_full' }),
      { step: 'plan', failure: { kind: 'refused', error: { details: { reason: 'run_queue_full' } } } },
    ],
  ])('reports the failure of its step: %o', async (last, attempt) => {
    createServer([last]);
    const page = await loadPage();
    page.startAttempt(target, 'newest', report);
    await expect.poll(() => page.findAttempt('cap_1')?.failure).toBeDefined();
    expect(page.findAttempt('cap_1')).toMatchObject(attempt);
    expect(page.findAttempt('cap_1')).not.toHaveProperty('revisionPlanId');
  });
});

it('follows a revision plan of another tab without leaving the page', async () => {
  const server = createServer([synced, checked, planned, reviewable], { providers: ['test/fake'] });
  const page = await loadPage();
  const opened: string[] = [];
  page.watchAttempt('cap_1', (id) => opened.push(id));
  const { api } = await import('./client.ts');
  const { revisionPlan } = (await api.getRevisionPlan({ params: { revisionPlanId: 'grp_1' } })).body;
  page.adoptRevision(target, revisionPlan);
  await expect.poll(() => page.findAttempt('cap_1')?.asks).toBe(true);
  // The other tab confirms it.
  await api.reconcileRevisionPlan({ params: { revisionPlanId: 'grp_1' } });
  page.adoptRevision(target, { ...revisionPlan, planRunId: 'plan_2' });
  await expect.poll(() => page.findAttempt('cap_1')).toBeUndefined();
  await expect.poll(() => server.left).toEqual([]);
  expect(opened).toEqual([]);
});

it('plans the same commit with one request, by its report', async () => {
  const server = createServer([]);
  const page = await loadPage();
  const opened: string[] = [];
  page.watchAttempt('cap_1', (id) => opened.push(id));
  page.startAttempt(target, 'same', report);
  await expect.poll(() => opened).toEqual(['plan_same']);
  expect(server.sent()).toEqual(['/capsules/cap_1/plan']);
});
