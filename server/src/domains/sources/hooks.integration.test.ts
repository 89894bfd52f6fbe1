import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';

const clock = heldClock(Date.now());
let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer({ clock }), startGitHost()]);
  git.repository('modules', { 'main.tf': 'output "a" { value = 1 }\n', 'net/main.tf': '' });
});
afterAll(() => Promise.all([server.close(), git.close()]));

/** Creates a Source that only its webhook watches: the schedule has just synced. */
async function make({ autoSync = true, ...more }: Record<string, unknown> = {}) {
  const body = { workspaceId: server.workspaceId, name: 'Modules', url: git.url('x', 'hang'), ...more };
  const { source, hookSecret = '' } = (await server.api.createSource({ body })).body;
  const polled = 'UPDATE sources SET auto_sync = ?, polled_at = ? WHERE id = ?';
  server.ledger((db) => db.sqlite.prepare(polled).run(autoSync ? 1 : 0, clock.now(), source.id));
  return { sourceId: source.id, secret: hookSecret };
}
const call = (sourceId: string, headers: Record<string, string> = {}, body: string | Uint8Array = '{}') =>
  server.raw({ method: 'POST', path: `/hooks/sources/${sourceId}`, headers, body });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const sign = (secret: string, body: string | Uint8Array) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
const runIdsOf = ({ json }: RawAnswer) => (json as { runIds: string[] }).runIds;
const listRuns = async () =>
  (await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: {} })).body.runs;
afterEach(async () => {
  for (const { id, status } of await listRuns()) {
    if (status !== 'queued' && status !== 'running') continue;
    await server.api.cancelRun({ params: { runId: id }, body: {} });
    await server.ended(id);
  }
});

describe('a webhook of a Source', () => {
  test('is accepted with the secret as bearer, as GitLab token, or as signature over the exact bytes', async () => {
    const { sourceId, secret } = await make();
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x7d]);
    const ways: [Record<string, string>, string | Uint8Array][] = [
      [bearer(secret), ''],
      [{ 'x-gitlab-token': secret, 'content-type': 'application/json' }, '{"ref":'],
      [{ ...sign(secret, bytes), 'content-type': 'application/x-www-form-urlencoded' }, bytes],
    ];
    const answers = [];
    for (const [headers, body] of ways) answers.push(await call(sourceId, headers, body));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const [first] = answers;
    expect(first?.json).toEqual({
      accepted: true,
      runId: runIdsOf(first as RawAnswer)[0],
      runIds: [expect.any(String)],
    });
  });

  test('is refused in the same way for every fault of its secret', async () => {
    const { sourceId, secret } = await make();
    const { secret: other } = await make();
    const wrong: [Record<string, string>, string?][] = [
      [{}],
      [bearer(other)],
      [bearer(`${secret}x`)],
      [{ authorization: secret }],
      [{ authorization: `Basic ${secret}` }],
      [{ 'x-gitlab-token': '' }],
      [{ 'x-gitlab-token': other }],
      [{ 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }],
      [{ 'x-hub-signature-256': 'sha256=' }],
      [{ 'x-hub-signature': sign(secret, '{}')['x-hub-signature-256'] }],
      [sign(secret, '{}'), '{} '],
      [sign(other, '{}')],
      [{ authorization: `Bearer ${server.token}` }],
    ];
    const answers = [];
    for (const [headers, body] of wrong) answers.push(await call(sourceId, headers, body));
    const bodies = answers.map(({ status, json }) => [status, { ...(json as { error: object }).error, requestId: '' }]);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toEqual([401, expect.objectContaining({ code: 'unauthorized' })]);
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="svc"');
    expect((await listRuns()).filter((run) => run.sourceId === sourceId)).toEqual([]);
  });

  test('of an unknown Source is not found, and another method is not allowed', async () => {
    expect(statusAndCode(await call('src_00000000000000000000000000'))).toEqual([404, 'not_found']);
    const { sourceId } = await make();
    const read = await server.raw({ path: `/hooks/sources/${sourceId}` });
    expect([...statusAndCode(read), read.headers.allow]).toEqual([405, 'method_not_allowed', 'POST']);
  });

  test('may be 1 MiB long and no byte more', async () => {
    const { sourceId, secret } = await make({ autoSync: false });
    const most = Buffer.alloc(1_048_576, 'x');
    expect((await call(sourceId, sign(secret, most), most)).status).toBe(202);
    const more = Buffer.alloc(1_048_577, 'x');
    expect(statusAndCode(await call(sourceId, sign(secret, more), more))).toEqual([413, 'request_too_large']);
  });

  test('queues one sync per lane, however often it calls', async () => {
    const { sourceId, secret } = await make();
    const revision = { sourceSnapshotId: 'snap_old', resolvedCommit: '0'.repeat(40) };
    for (const lane of [
      { ref: 'v1', path: 'net' },
      { ref: 'v1', path: 'net' },
      { ref: 'HEAD', path: '.' },
    ])
      await seedCapsule(server, { sourceId, status: 'active', adoptedSourceRevision: { ...revision, ...lane } });
    const gone = { ...revision, ref: 'gone', path: '.' };
    await seedCapsule(server, { sourceId, status: 'destroyed', adoptedSourceRevision: gone });
    const first = runIdsOf(await call(sourceId, bearer(secret)));
    expect(first).toHaveLength(2);
    const running = await server.events(`/api/v1/runs/${first[0]}/events`);
    await running.until('phase');
    running.close();
    // The running sync may have read the refs before this push; the waiting one has not.
    const second = runIdsOf(await call(sourceId, bearer(secret)));
    const third = runIdsOf(await call(sourceId, bearer(secret)));
    expect([second[0] === first[0], second[1] === first[1], third]).toEqual([false, true, second]);
    const own = (await listRuns()).filter((run) => run.sourceId === sourceId);
    expect(own.map(({ ref, trigger, createdBy }) => [ref, trigger, createdBy]).sort()).toEqual([
      ['HEAD', 'webhook', 'system'],
      ['HEAD', 'webhook', 'system'],
      ['v1', 'webhook', 'system'],
    ]);
  });

  test('changes nothing when the Source is not watched', async () => {
    const { sourceId, secret } = await make({ autoSync: false });
    const nothing = { accepted: true, runIds: [] };
    expect((await call(sourceId, bearer(secret))).json).toEqual(nothing);
    await server.api.updateSource({ params: { sourceId }, body: { autoSync: true, status: 'disabled' } });
    expect((await call(sourceId, bearer(secret))).json).toEqual(nothing);
  });

  test('is limited to thirty calls a minute per Source', async () => {
    const { sourceId, secret } = await make({ autoSync: false });
    const other = await make({ autoSync: false });
    for (let at = 0; at < 10; at += 1) expect((await call(sourceId, bearer('svchook_wrong'))).status).toBe(401);
    for (let at = 0; at < 20; at += 1) expect((await call(sourceId, bearer(secret))).status).toBe(202);
    for (const known of [secret, 'svchook_wrong']) {
      const late = await call(sourceId, bearer(known));
      expect([...statusAndCode(late), late.headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
    }
    expect((await call(other.sourceId, bearer(other.secret))).status).toBe(202);
    clock.advance(60_000);
    expect((await call(sourceId, bearer(secret))).status).toBe(202);
  });

  test('accepts only the new secret after a rotation', async () => {
    const { sourceId, secret } = await make({ autoSync: false });
    const { hookSecret = '' } = (
      await server.api.updateSource({ params: { sourceId }, body: { rotateHookSecret: true } })
    ).body;
    expect(hookSecret).toMatch(/^svchook_[\w-]{43}$/);
    expect(statusAndCode(await call(sourceId, bearer(secret)))).toEqual([401, 'unauthorized']);
    expect((await call(sourceId, bearer(hookSecret))).status).toBe(202);
    await server.restart();
    expect((await call(sourceId, bearer(hookSecret))).status).toBe(202);
  });

  test('creates a snapshot that names its trigger', async () => {
    const { sourceId, secret } = await make({ url: git.url('modules') });
    const [runId = ''] = runIdsOf(await call(sourceId, bearer(secret)));
    await server.ended(runId);
    const { snapshots } = (await server.api.listSnapshots({ params: { sourceId } })).body;
    expect(snapshots).toMatchObject([{ fetchedByRunId: runId, fetchedBy: 'system', trigger: 'webhook' }]);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    const syncRequest = events.find((event) => event.runId === runId && event.action === 'source.sync_requested');
    expect(syncRequest).toMatchObject({ targetId: sourceId, metadata: { trigger: 'webhook' } });
    expect(syncRequest?.actorId).toBeUndefined();
  });
});
