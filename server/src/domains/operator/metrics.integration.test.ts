import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const sampleShape = /^([a-z_:][a-z0-9_:]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (-?[0-9.e+-]+|\+Inf|NaN)$/i;
type Sample = { name: string; labels: string; value: number };

/** Parses the text format 0.0.4: checks the form of each sample line, and a HELP and a TYPE before each family. */
function parse(text: string): Sample[] {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Set<string>();
  return text.split('\n').flatMap((line): Sample[] => {
    if (line === '') return [];
    const [, family] = /^# (?:HELP|TYPE) ([a-z_]+) .+$/.exec(line) ?? [];
    if (family !== undefined) families.add(family);
    if (line.startsWith('#')) return [];
    const [, name = '', labels = '', value = ''] = sampleShape.exec(line) ?? [];
    expect([line, name !== '']).toEqual([line, true]);
    expect(families).toContain(families.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''));
    return [{ name, labels, value: Number(value) }];
  });
}

const bearer = () => ({ authorization: `Bearer ${server.operatorToken}` });
const scrape = async () => {
  const answer = await server.raw({ path: '/metrics', headers: bearer() });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parse(answer.text);
};
const figure = (samples: Sample[], name: string, ...labels: string[]) =>
  samples.find((one) => one.name === name && labels.every((label) => one.labels.includes(label)))?.value;

test('the metrics accept only the operator token as bearer', async () => {
  const cases = [{}, { authorization: `Bearer ${server.token}` }, { authorization: 'Bearer x' }];
  for (const headers of cases) {
    const { status, json } = await server.raw({ path: '/metrics', headers: headers as Record<string, string> });
    expect([status, json]).toEqual([401, { error: expect.objectContaining({ code: 'unauthenticated' }) }]);
  }
  expect((await server.raw({ path: '/metrics', method: 'POST', headers: bearer() })).status).toBe(405);
});

test('requests are labeled with their route template, so that no id and no invalid path becomes a label', async () => {
  await server.request('GET', `/api/v1/workspaces/${server.workspaceId}`);
  await server.request('GET', '/api/v1/workspaces/ws_nothing');
  await server.raw({ path: '/made-up-address' });
  const samples = await scrape();
  const name = 'groundctl_http_request_duration_seconds_count';
  const route = 'route="/api/v1/workspaces/:workspaceId"';
  expect(figure(samples, name, 'method="GET"', route, 'status="200"')).toBe(1);
  expect(figure(samples, name, 'method="GET"', route, 'status="404"')).toBe(1);
  expect(figure(samples, name, 'route="none"', 'status="404"')).toBe(1);
  const text = JSON.stringify(samples);
  for (const id of [server.workspaceId, 'ws_nothing', 'made-up', server.token]) expect(text).not.toContain(id);
});

test('waiting Runs are counted by type and status, and ended Runs with their duration', async () => {
  const capsule = await seedCapsule(server);
  holdCapsule(server, capsule.id);
  const before = await scrape();
  const run = seedRun(server, { capsuleId: capsule.id });
  const samples = await scrape();
  const grown = (name: string, ...labels: string[]) =>
    (figure(samples, name, ...labels) ?? 0) - (figure(before, name, ...labels) ?? 0);
  expect(grown('groundctl_runs', 'status="queued"')).toBe(1);
  expect(grown('groundctl_queue_depth')).toBe(1);
  expect(figure(samples, 'groundctl_queue_oldest_seconds')).toBeGreaterThanOrEqual(0);
  expect(grown('groundctl_pool_queued', 'pool="local"')).toBe(1);
  expect(figure(samples, 'groundctl_pool_oldest_seconds', 'pool="local"')).toBeGreaterThanOrEqual(0);
  await server.api.cancelRun({ params: { runId: run.id }, body: {} });
  const after = await scrape();
  expect(figure(after, 'groundctl_runs_ended_total', `type="${run.type}"`, 'status="cancelled"')).toBe(1);
  expect(figure(after, 'groundctl_queue_depth')).toBe(figure(before, 'groundctl_queue_depth'));
});

test('reports metrics of the ledger, the event loop and the process', async () => {
  const samples = await scrape();
  for (const name of [
    'groundctl_ledger_bytes',
    'groundctl_ledger_transaction_seconds_count',
    'groundctl_build_info',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_start_time_seconds',
    'process_open_fds',
  ])
    expect([name, (figure(samples, name) ?? 0) > 0]).toEqual([name, true]);
  expect(figure(samples, 'groundctl_ledger_wal_bytes')).toBeGreaterThanOrEqual(0);
  expect(samples.filter(({ name }) => name === 'groundctl_event_loop_delay_seconds')).toHaveLength(3);
});

test('a scrape scans no whole table', () => {
  const plans = server.ledger(({ sqlite }) =>
    [
      "SELECT type, status, count(*) FROM runs WHERE status IN ('queued','running','waiting_approval') GROUP BY status, type",
      "SELECT created_at FROM runs WHERE status = 'queued' ORDER BY seq LIMIT 1",
    ].map((query) => JSON.stringify(sqlite.prepare(`EXPLAIN QUERY PLAN ${query}`).all())),
  );
  for (const plan of plans) expect(plan).toMatch(/SEARCH runs USING INDEX runs_status/);
});
