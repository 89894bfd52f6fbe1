import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('empty');
});
afterAll(() => Promise.all([server.close(), git.close()]));

const sourceOf = async (url: string, more: Record<string, unknown> = {}) => {
  const body = { workspaceId: server.workspaceId, name: 'Modules', url, ...more };
  return (await server.api.createSource({ body })).body.source.id;
};
const request = (sourceId: string, intent?: 'observe' | 'manual_plan') =>
  server.api.syncSource({ params: { sourceId }, body: intent ? { intent } : {} });
const runOf = async (runId: string) => (await server.api.getRun({ params: { runId } })).body.run;
/** Syncs to the end and returns the Run from the ledger. */
async function sync(sourceId: string) {
  const { run } = (await request(sourceId)).body;
  await server.ended(run.id);
  return runOf(run.id);
}
const snapshotsOf = async (sourceId: string) =>
  (await server.api.listSnapshots({ params: { sourceId } })).body.snapshots;
const statusOf = async (sourceId: string) => (await server.api.getSource({ params: { sourceId } })).body.source.status;
const logOf = async (runId: string) => (await server.api.getRunLogs({ params: { runId } })).body;
const main = { 'main.tf': 'output "a" { value = 1 }\n' };

describe('a sync', () => {
  test('ends with a snapshot of the commit, and its Run says which', async () => {
    const repository = git.repository('one', { ...main, 'net/main.tf': '', 'README.md': 'hello' });
    const sourceId = await sourceOf(git.url('one'));
    const response = await request(sourceId);
    expect(response.status).toBe(201);
    expect(response.body.run).toMatchObject({
      id: expect.stringMatching(/^ssr_[0-9A-Z]{26}$/),
      kind: 'source_sync',
      status: 'queued',
      intent: 'observe',
      ref: 'HEAD',
      path: '.',
      url: git.url('one'),
    });
    await server.ended(response.body.run.id);
    const [snapshot, ...others] = await snapshotsOf(sourceId);
    expect(others).toEqual([]);
    expect(snapshot).toMatchObject({
      id: expect.stringMatching(/^snap_[0-9A-Z]{26}$/),
      origin: 'git',
      ref: 'HEAD',
      path: '.',
      resolvedCommit: repository.git('rev-parse', 'HEAD'),
      archiveDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      repositoryManifest: { status: 'absent' },
      fetchedByRunId: response.body.run.id,
    });
    expect(await runOf(response.body.run.id)).toMatchObject({
      type: 'source_sync',
      status: 'succeeded',
      sourceId,
      sourceSnapshotId: snapshot?.id,
      resolvedCommit: snapshot?.resolvedCommit,
      subject: { kind: 'source', id: sourceId },
    });
  });

  test('stores the texts of the commit, and adds them to a snapshot of an earlier version', async () => {
    git.repository('texts', main);
    const sourceId = await sourceOf(git.url('texts'));
    const first = await sync(sourceId);
    const at = '2026-01-01T00:00:00.000Z';
    const commit = { subject: 'change', message: 'change', authorName: 'Ada', authoredAt: at, committedAt: at };
    expect((await snapshotsOf(sourceId))[0]?.commit).toEqual(commit);
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE source_snapshots SET "commit" = NULL WHERE source_id = ?').run(sourceId),
    );
    expect((await snapshotsOf(sourceId))[0]).not.toHaveProperty('commit');
    expect((await sync(sourceId)).sourceSnapshotId).toBe(first.sourceSnapshotId);
    const snapshots = await snapshotsOf(sourceId);
    expect(snapshots.map((snapshot) => snapshot.commit)).toEqual([commit]);
    const sourceSnapshotId = first.sourceSnapshotId ?? '';
    const { snapshot } = (await server.api.getSnapshot({ params: { sourceId, sourceSnapshotId } })).body;
    expect(snapshot).toEqual(snapshots[0]);
  });

  test('gives the subjects of many commits at once, to members of the Workspace', async () => {
    git.repository('subjects', main);
    const { sourceSnapshotId = '' } = await sync(await sourceOf(git.url('subjects')));
    const subjectsOf = async (workspaceId: string, sourceSnapshotIds: string) =>
      (await server.api.listCommitSubjects({ params: { workspaceId }, query: { sourceSnapshotIds } })).body.subjects;
    const unknown = sourceSnapshotId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const subject = { sourceSnapshotId, subject: 'change' };
    expect(await subjectsOf(server.workspaceId, `${unknown},${sourceSnapshotId}`)).toEqual([subject]);
    const elsewhere = (await server.api.createWorkspace({ body: { handle: 'subjects' } })).body.workspace.id;
    expect(await subjectsOf(elsewhere, sourceSnapshotId)).toEqual([]);
    await expect(subjectsOf(server.workspaceId, 'x')).rejects.toMatchObject({ status: 400 });
  });

  test('records how long fetch, unpack and scan took, one after the other', async () => {
    git.repository('timed', main);
    const sourceId = await sourceOf(git.url('timed'));
    const phasesOf = async (id: string) => (await runOf(id)).phaseTimings ?? [];
    const phases = await phasesOf((await sync(sourceId)).id);
    expect(phases.map(({ phase }) => phase)).toEqual(['fetch', 'unpack', 'scan']);
    for (const { startedAt, finishedAt = '', durationMs } of phases)
      expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBe(durationMs);
    const [fetch, unpack, scan] = phases;
    expect([fetch?.finishedAt, unpack?.finishedAt]).toEqual([unpack?.startedAt, scan?.startedAt]);
    const again = await phasesOf((await sync(sourceId)).id);
    expect(again.map(({ phase }) => phase)).toEqual(['fetch', 'scan']);
  });

  test('of an unchanged commit returns the existing snapshot; of a changed commit a new one, first in the list', async () => {
    const repository = git.repository('moving', main);
    const sourceId = await sourceOf(git.url('moving'), { defaultRef: 'main' });
    const first = await sync(sourceId);
    const again = await sync(sourceId);
    expect(again.id).not.toBe(first.id);
    expect(again.sourceSnapshotId).toBe(first.sourceSnapshotId);
    repository.commit({ 'main.tf': 'output "a" { value = 2 }\n' });
    const third = await sync(sourceId);
    const ids = (await snapshotsOf(sourceId)).map(({ id }) => id);
    expect(ids).toEqual([third.sourceSnapshotId, first.sourceSnapshotId]);
  });

  test('of another ref or path at the same commit is another snapshot', async () => {
    git.repository('lanes', { ...main, 'net/main.tf': 'output "b" { value = 1 }\n' });
    const sourceId = await sourceOf(git.url('lanes'));
    const first = await sync(sourceId);
    await server.api.updateSource({ params: { sourceId }, body: { defaultPath: 'net' } });
    const second = await sync(sourceId);
    await server.api.updateSource({ params: { sourceId }, body: { defaultRef: 'main' } });
    const third = await sync(sourceId);
    const ids = [first, second, third].map(({ sourceSnapshotId }) => sourceSnapshotId);
    expect(new Set(ids).size).toBe(3);
    expect(new Set([first, second, third].map(({ resolvedCommit }) => resolvedCommit)).size).toBe(1);
  });

  test('joins the live one of the same lane and intent', async () => {
    const sourceId = await sourceOf(git.url('x', 'hang'));
    const first = await request(sourceId);
    const same = await request(sourceId);
    const other = await request(sourceId, 'manual_plan');
    expect([first.status, same.status, other.status]).toEqual([201, 200, 201]);
    expect(same.body.run.id).toBe(first.body.run.id);
    expect(other.body.run.id).not.toBe(first.body.run.id);
    for (const { id } of [first.body.run, other.body.run]) {
      await server.api.cancelRun({ params: { runId: id }, body: {} });
      await server.ended(id);
      expect((await runOf(id)).status).toBe('cancelled');
    }
    expect((await request(sourceId)).status).toBe(201);
    await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: { status: 'queued,running' } });
  });

  test('that is cancelled while running records the actor in its feed and in the history', async () => {
    const sourceId = await sourceOf(git.url('y', 'hang'));
    const { run } = (await request(sourceId)).body;
    const reader = await server.events(`/api/v1/runs/${run.id}/events`);
    await reader.until('phase');
    await server.api.cancelRun({ params: { runId: run.id }, body: {} });
    const events = await reader.rest();
    const cancelled = events.find(({ data }) => data['type'] === 'source_sync.cancelled');
    expect(cancelled?.data).toMatchObject({ actor: server.subject });
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'cancelled' } });
    const { events: records } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(records.find(({ targetId }) => targetId === run.id)).toMatchObject({
      action: 'run.cancelled',
      actorId: server.subject,
    });
    await expect(server.api.getSource({ params: { sourceId } })).resolves.toMatchObject({ status: 200 });
  });

  test('names left-out entries once', async () => {
    const repository = git.repository('links', main);
    const id = repository.gitWith('/etc/passwd', 'hash-object', '-w', '--stdin');
    repository.git('update-index', '--add', '--cacheinfo', `120000,${id},link.tf`);
    repository.git('commit', '-q', '-m', 'link');
    const run = await sync(await sourceOf(git.url('links')));
    const lines = (await logOf(run.id)).entries.filter(({ text }) => text.includes('link.tf'));
    expect([run.status, lines.length]).toEqual(['succeeded', 1]);
  });

  test('resumes after the server was stopped during it', async () => {
    git.repository('later', main);
    const sourceId = await sourceOf(git.url('later', 'hang'));
    const { run } = (await request(sourceId)).body;
    const reader = await server.events(`/api/v1/runs/${run.id}/events`);
    await reader.until('phase');
    await server.restart();
    expect((await runOf(run.id)).status).toBe('running');
    await server.api.cancelRun({ params: { runId: run.id }, body: {} });
    await server.ended(run.id);
    expect((await runOf(run.id)).status).toBe('cancelled');
  });
});

test('an account may request sixty syncs a minute, including repeats under a key', async () => {
  const { token } = await server.join('admin');
  const { token: other } = await server.join('admin');
  const sourceId = await sourceOf(git.url('x', 'hang'));
  const statusOf = async (bearer: string, key: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'idempotency-key': key };
    return (await server.request('POST', `/api/v1/sources/${sourceId}/sync`, {}, headers)).status;
  };
  expect(await statusOf(token, 'first')).toBe(201);
  for (let call = 1; call < 30; call += 1) expect(await statusOf(token, 'first')).toBe(200);
  for (let call = 30; call < 60; call += 1) expect(await statusOf(token, `call ${call}`)).toBe(200);
  expect(await statusOf(token, 'late')).toBe(429);
  expect(await statusOf(other, 'other')).toBe(200);
  const [run] = (await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: {} })).body.runs;
  await server.api.cancelRun({ params: { runId: run?.id ?? '' }, body: {} });
  await server.ended(run?.id ?? '');
});

describe('a sync that fails', () => {
  const failures: [string, () => Promise<string>, string, string][] = [
    ['no server answers', () => sourceOf('http://127.0.0.1:1/x'), 'source_unreachable', 'error'],
    ['it is not Git', () => sourceOf(git.url('x', 'html')), 'source_not_git', 'error'],
    ['it asks for a password', () => sourceOf(git.url('one', 'private')), 'source_auth_failed', 'error'],
    [
      'the branch does not exist',
      () => sourceOf(git.url('one'), { defaultRef: 'nowhere' }),
      'source_ref_not_found',
      'active',
    ],
    [
      'the folder does not exist',
      () => sourceOf(git.url('one'), { defaultPath: 'nowhere' }),
      'source_path_not_found',
      'active',
    ],
    ['the repository is empty', () => sourceOf(git.url('empty')), 'source_empty', 'active'],
  ];
  test.each(failures)('because %s has its own code', async (_, make, code, status) => {
    const sourceId = await make();
    const run = await sync(sourceId);
    expect([run.status, run.errorCode]).toEqual(['failed', code]);
    expect(run.sourceSnapshotId).toBeUndefined();
    expect(await statusOf(sourceId)).toBe(status);
    expect(await snapshotsOf(sourceId)).toEqual([]);
    const { diagnostics, auditEvents } = await logOf(run.id);
    expect(diagnostics).toMatchObject([{ severity: 'error', code, message: expect.stringMatching(/^[A-Z].*\.$/) }]);
    expect(auditEvents.map(({ type }) => type)).toEqual([
      'source_sync.requested',
      'source_sync.started',
      'source_sync.failed',
    ]);
  });

  test('marks its Source, and the next successful sync clears the mark', async () => {
    const repository = git.repository('flaky', main);
    const sourceId = await sourceOf(git.url('flaky'), { defaultRef: 'main' });
    server.ledger((db) => db.sqlite.prepare("UPDATE sources SET status = 'error' WHERE id = ?").run(sourceId));
    repository.git('branch', '-f', 'other');
    await sync(sourceId);
    expect(await statusOf(sourceId)).toBe('active');
  });

  test('does not change a Source that was disabled during the sync', async () => {
    const sourceId = await sourceOf(git.url('x', 'html'));
    const { run } = (await request(sourceId)).body;
    await server.api.updateSource({ params: { sourceId }, body: { status: 'disabled' } });
    await server.ended(run.id);
    expect([(await runOf(run.id)).status, await statusOf(sourceId)]).toEqual(['failed', 'disabled']);
  });
});

describe('a Source', () => {
  const remove = (sourceId: string) => server.api.deleteSource({ params: { sourceId } });
  const inUse = { status: 409, details: { reason: 'source_in_use' } };

  test('with a snapshot or a running sync is not deleted', async () => {
    git.repository('kept', main);
    const synced = await sourceOf(git.url('kept'));
    await sync(synced);
    await expect(remove(synced)).rejects.toMatchObject(inUse);
    const busy = await sourceOf(git.url('x', 'hang'));
    const { run } = (await request(busy)).body;
    await expect(remove(busy)).rejects.toMatchObject(inUse);
    await server.api.cancelRun({ params: { runId: run.id }, body: {} });
    await server.ended(run.id);
    expect((await remove(busy)).status).toBe(204);
  });
});

describe('the manifest of a repository', () => {
  const file = '.well-known/svc.json';
  const synced = async (name: string, files: Record<string, string>, more: Record<string, unknown> = {}) => {
    git.repository(name, files);
    const sourceId = await sourceOf(git.url(name), more);
    const run = await sync(sourceId);
    const [snapshot] = await snapshotsOf(sourceId);
    const at = { sourceId, sourceSnapshotId: snapshot?.id ?? '' };
    const { body } = await server.api.getInstallModules({ params: at });
    return { run, snapshot, modules: body.modules.map(({ path }) => path) };
  };
  const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
  /** A root that calls a module, and an example: neither is offered unless a manifest names it. */
  const tree = {
    'main.tf': 'module "net" { source = "./modules/net" }\n',
    'modules/net/main.tf': '',
    'examples/small/main.tf': '',
  };
  const naming = (...paths: string[]) =>
    JSON.stringify({
      apiVersion: 'svc/v2',
      kind: 'Repository',
      install: { modules: Object.fromEntries(paths.map((path) => [path, { inputs: [] }])) },
    });

  test('that is valid is identified by its digest, and its modules are offered', async () => {
    const plain = await synced('unnamed', tree);
    expect(plain.modules).toEqual(['.']);
    const named = await synced('named', { ...tree, [file]: naming('modules/net', 'examples/small', 'nowhere') });
    expect(named.snapshot?.repositoryManifest).toEqual({ status: 'present', digest });
    expect(named.snapshot).not.toHaveProperty('manifestProblems');
    expect(named.modules).toEqual(['.', 'examples/small', 'modules/net']);
  });

  test('names modules by their path in the repository, whatever the path of the Source', async () => {
    const below = Object.fromEntries(Object.entries(tree).map(([name, text]) => [`infra/${name}`, text]));
    const files = { ...below, [file]: naming('infra/modules/net', 'examples/small') };
    const { snapshot, modules } = await synced('below', files, { defaultPath: 'infra' });
    expect(snapshot?.repositoryManifest).toEqual({ status: 'present', digest });
    expect(modules).toEqual(['.', 'modules/net']);
  });

  test('that has problems stops nothing: the snapshot and the log list them with their locations', async () => {
    const broken = naming('modules/net').replace('"inputs":[]', '"inputs":[],"outputs":"ghp_0123456789abcdef"');
    const { run, snapshot, modules } = await synced('broken', { ...tree, [file]: broken });
    expect(run.status).toBe('succeeded');
    expect(snapshot?.repositoryManifest).toEqual({ status: 'invalid', reason: 'invalid_document', digest });
    const pointer = '/install/modules/modules~1net/outputs';
    const message = 'This field is not known here in this version.';
    expect(snapshot?.manifestProblems).toEqual([{ pointer, code: 'field_unknown', message }]);
    expect(modules).toEqual(['.']);
    const log = JSON.stringify(await logOf(run.id));
    expect(log).toContain(`${file} ${pointer}: ${message}`);
    expect(log + JSON.stringify(snapshot)).not.toContain('ghp_');
  });
});
