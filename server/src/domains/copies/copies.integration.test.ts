import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#server/kernel/ids';
import { callOf } from '../../../test/copy-fixture.ts';
import { type CopyServer, startCopyServer } from '../../../test/copy-server.ts';
import { tempDir } from '../../../test/harness.ts';

let at: CopyServer;
let upstream: ReturnType<CopyServer['registry']['repository']>;
let network: ReturnType<CopyServer['registry']['repository']>;
let sourceId: string;
const call = (host: string, constraint = '~> 1.0') =>
  `module "network" {\n  source  = "${host}/example/network/aws//inner"\n  version = "${constraint}"\n}\n`;
beforeAll(async () => {
  at = await startCopyServer();
  const { registry } = at;
  network = registry.repository('network', {
    'inner/main.tf': 'module "deep" {\n  source = "../deep"\n}\n',
    'deep/main.tf': 'output "name" {\n  value = "one"\n}\n',
    'other/main.tf': 'module "far" {\n  source = "example/never/aws"\n}\n',
    LICENSE: 'Apache\n',
  });
  network.git('tag', 'v1.0.0');
  registry.publish('example/network/aws', '1.0.0', `git::${network.url}?ref=v1.0.0`);
  upstream = registry.repository('stack', { 'main.tf': call(registry.host), 'README.md': '# Stack\n' });
  sourceId = await at.createSource(upstream.url);
});
afterAll(() => at.close());

const api = () => at.server.api;
const create = async (body: Record<string, unknown> = {}) => {
  const { workspaceId } = at.server;
  return (await api().createCopy({ params: { workspaceId }, body: { sourceId, ...body } })).body;
};
const list = async () => (await api().listCopies({ params: { workspaceId: at.server.workspaceId } })).body.copies;
const repositoryOf = (copyId: string) => path.join(at.server.dataDir, 'copies', `${copyId}.git`);
const approve = async (params: { copyId: string; revisionId: string }) => {
  const { review } = (await api().getCopyRevision({ params })).body.revision;
  await api().approveCopyRevision({ params, body: { reviewDigest: review?.digest ?? '' } });
  return at.settled(params);
};

describe('an installable copy', () => {
  test('is refused by a scan before, and scanned and listed as a module after its approval', async () => {
    const { copy, revision } = await create();
    const params = { copyId: copy.id, revisionId: revision.id };
    const waiting = await at.settled(params);
    expect(waiting).toMatchObject({ status: 'waiting_approval' });
    const { review } = waiting;
    expect(review?.packages).toMatchObject([
      {
        kind: 'registry',
        address: `${at.registry.host}/example/network/aws`,
        constraint: '~> 1.0',
        version: '1.0.0',
        licensePath: 'LICENSE',
      },
    ]);
    expect(review?.calls).toMatchObject([{ path: 'main.tf', name: 'network', constraint: '~> 1.0' }]);
    expect(fs.existsSync(repositoryOf(copy.id))).toBe(false);
    expect((await api().getCopy({ params })).body.copy).toMatchObject({ openRevisionId: revision.id });

    expect(await create()).toMatchObject({ copy: { id: copy.id }, revision: { id: revision.id } });
    const wrong = { params, body: { reviewDigest: `sha256:${'0'.repeat(64)}` } };
    await expect(api().approveCopyRevision(wrong)).rejects.toMatchObject({
      details: { reason: 'copy_review_changed' },
    });
    const made = await approve(params);
    expect(made).toMatchObject({ status: 'succeeded', commit: waiting.commit });
    execFileSync('git', ['-C', repositoryOf(copy.id), 'fsck', '--strict'], { stdio: 'pipe' });

    const { sourceId: ownId = '' } = (await api().getCopy({ params })).body.copy;
    const own = { sourceId: ownId };
    await expect
      .poll(async () => (await api().listSnapshots({ params: own })).body.snapshots.length, { timeout: 20_000 })
      .toBe(1);
    const [snapshot] = (await api().listSnapshots({ params: own })).body.snapshots;
    expect(snapshot?.resolvedCommit).toBe(made.commit);
    const at1 = { ...own, sourceSnapshotId: snapshot?.id ?? '' };
    expect((await api().getInstallModules({ params: at1 })).body).toMatchObject({
      status: 'ready',
      modules: [{ path: '.' }],
    });
    expect(fs.readdirSync(path.join(at.server.dataDir, 'copy-work'))).toEqual([]);
  });

  test('has the same commit in another data folder', async () => {
    const [copy] = await list();
    const { revisions } = (await api().listCopyRevisions({ params: { copyId: copy?.id ?? '' } })).body;
    const other = await startCopyServer(at);
    try {
      const body = { sourceId: await other.createSource(upstream.url), name: 'Another name' };
      const { workspaceId } = other.server;
      const made = (await other.server.api.createCopy({ params: { workspaceId }, body })).body;
      const waiting = await other.settled({ copyId: made.copy.id, revisionId: made.revision.id });
      expect(waiting.commit).toBe(revisions[0]?.commit);
    } finally {
      await other.close();
    }
  });

  test('is updated to a new version with a difference, and keeps its history', async () => {
    const copyId = (await list())[0]?.id ?? '';
    expect((await api().checkCopyUpstream({ params: { copyId } })).body).toMatchObject({
      hasChanged: false,
      packages: [],
    });
    const unchanged = (await api().createCopyRevision({ params: { copyId } })).body.revision;
    expect(await at.settled({ copyId, revisionId: unchanged.id })).toMatchObject({ error: { code: 'copy_unchanged' } });

    network.commit({ 'deep/main.tf': 'output "name" {\n  value = "two"\n}\n' });
    network.git('tag', 'v1.1.0');
    at.registry.publish('example/network/aws', '1.1.0', `git::${network.url}?ref=v1.1.0`);
    expect((await api().checkCopyUpstream({ params: { copyId } })).body).toMatchObject({
      hasChanged: true,
      packages: [{ from: '1.0.0', to: '1.1.0' }],
    });
    const { revision } = (await api().createCopyRevision({ params: { copyId } })).body;
    const params = { copyId, revisionId: revision.id };
    const waiting = await at.settled(params);
    expect(waiting.review?.difference?.packages).toEqual([
      { change: 'changed', address: `${at.registry.host}/example/network/aws`, from: '1.0.0', to: '1.1.0' },
    ]);
    expect(await approve(params)).toMatchObject({ status: 'succeeded' });
    const log = execFileSync('git', ['-C', repositoryOf(copyId), 'log', '--format=%H', 'main'], { encoding: 'utf8' });
    expect(log.trim().split('\n')).toHaveLength(2);
    expect((await api().listCopyRevisions({ params: { copyId } })).body.revisions).toHaveLength(3);
  });

  test('is read by members, and made by owners and admins only', async () => {
    const copyId = (await list())[0]?.id ?? '';
    const member = await at.server.join('member');
    const params = { workspaceId: at.server.workspaceId };
    expect((await member.api.listCopies({ params })).body.copies).toHaveLength(1);
    const refused = { status: 403 };
    await expect(member.api.createCopy({ params, body: { sourceId } })).rejects.toMatchObject(refused);
    await expect(member.api.createCopyRevision({ params: { copyId } })).rejects.toMatchObject(refused);
    await expect(member.api.deleteCopy({ params: { copyId } })).rejects.toMatchObject(refused);
  });

  test('has an address that only the server makes, and is not copied again', async () => {
    const [copy] = await list();
    const { workspaceId } = at.server;
    const url = `svc-copy:${copy?.id}`;
    for (const name of [url, 'svc-copy:x', 'SVC-COPY:x', `svc-copy:${copy?.id}/../x`])
      await expect(api().createSource({ body: { workspaceId, name: 'x', url: name } })).rejects.toMatchObject({
        details: { reason: 'git_scheme_not_supported' },
      });
    const own = copy?.sourceId ?? '';
    await expect(create({ sourceId: own })).rejects.toMatchObject({ details: { reason: 'copy_of_copy' } });
    await expect(api().deleteSource({ params: { sourceId: own } })).rejects.toMatchObject({
      details: { reason: 'source_in_use' },
    });
  });

  test('is installed from by a member, and a copy of no Workspace is not', async () => {
    const [copy] = await list();
    const member = await at.server.join('member');
    const install = (url: string, key: string) =>
      member.api.createInstallPlan(
        {
          params: { workspaceId: at.server.workspaceId },
          body: { source: { name: 'Stack', url, ref: 'HEAD', path: '.' }, capsule: { name: key, environment: 'test' } },
        },
        { 'idempotency-key': key },
      );
    const { installPlan } = (await install(`svc-copy:${copy?.id}`, 'Mine')).body;
    const params = { installPlanId: installPlan.id };
    await member.api.reconcileInstallPlan({ params });
    expect((await member.api.getInstallPlan({ params })).body.installPlan).toMatchObject({ sourceId: copy?.sourceId });
    await member.api.cancelInstallPlan({ params });
    await expect(install(`svc-copy:${newId('copy')}`, 'Other')).rejects.toMatchObject({
      details: { reason: 'git_scheme_not_supported' },
    });
  });

  test('refuses a version that was moved to other files', async () => {
    const copyId = (await list())[0]?.id ?? '';
    network.commit({ 'deep/main.tf': 'output "name" {\n  value = "moved"\n}\n' });
    network.git('tag', '--force', 'v1.1.0');
    const { revision } = (await api().createCopyRevision({ params: { copyId } })).body;
    expect(await at.settled({ copyId, revisionId: revision.id })).toMatchObject({
      status: 'failed',
      error: { code: 'copy_package_moved', message: expect.stringContaining('sha256:') },
    });
  });

  test('is downloaded as a repository that Git clones', async () => {
    const copyId = (await list())[0]?.id ?? '';
    const { url, token } = at.server;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api/v1/copies/${copyId}/repository`, { headers });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    const dir = tempDir();
    try {
      fs.writeFileSync(path.join(dir, 'x.tar'), Buffer.from(await answer.arrayBuffer()));
      execFileSync('tar', ['-xf', 'x.tar'], { cwd: dir });
      execFileSync('git', ['clone', '--quiet', path.join(dir, `${copyId}.git`), path.join(dir, 'clone')], {
        stdio: 'pipe',
      });
      expect(fs.readFileSync(path.join(dir, 'clone/main.tf'), 'utf8')).toContain('inner');
    } finally {
      fs.rmSync(dir, { recursive: true });
    }
  });

  test('needs a Connection for a private registry, whose token goes to that host only', async () => {
    const { registry, server } = at;
    const token = 'canary-private-registry-5f1c';
    registry.requireToken(token);
    try {
      const own = await at.createSource(
        registry.repository('private', { 'main.tf': call(registry.host, '1.0.0') }).url,
      );
      const refused = await create({ sourceId: own });
      const params = { copyId: refused.copy.id, revisionId: refused.revision.id };
      expect(await at.settled(params)).toMatchObject({ status: 'failed', error: { code: 'credential_required' } });
      const { workspaceId } = server;
      const connection = {
        workspaceId,
        provider: 'module-registry',
        kind: 'module_registry_token' as const,
        values: { MODULE_REGISTRY_TOKEN: token },
        scopeHints: { providerConfig: { host: registry.host } },
      };
      await api().createConnection({ body: connection });
      registry.seen.length = 0;
      const { revision } = await create({ sourceId: own });
      const waiting = await at.settled({ ...params, revisionId: revision.id });
      expect(waiting).toMatchObject({ status: 'waiting_approval' });
      expect(JSON.stringify(waiting)).not.toContain(token);
      const holders = registry.seen.filter(({ headers }) => headers.authorization?.includes(token));
      expect(holders.length).toBeGreaterThan(0);
      expect(holders.filter(({ path: target }) => target.startsWith('/git/'))).toEqual([]);
      const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT * FROM copy_revisions').all());
      expect(JSON.stringify(rows)).not.toContain(token);
      await api().cancelCopyRevision({ params: { ...params, revisionId: revision.id } });
      await expect.poll(() => fs.readdirSync(path.join(server.dataDir, 'copy-work'))).toEqual([]);
    } finally {
      registry.requireToken(undefined);
    }
  });

  test('is deleted with its repository and Source, and a cancelled revision leaves no file', async () => {
    const called = at.registry.repository('alone', { 'main.tf': 'output "a" {\n  value = 1\n}\n' });
    const files = { 'main.tf': `module "a" {\n  source = "git::${called.url}"\n}\n` };
    const own = await at.createSource(at.registry.repository('single', files).url);
    const { copy, revision } = await create({ sourceId: own, name: 'Alone' });
    const params = { copyId: copy.id, revisionId: revision.id };
    await at.settled(params);
    const work = path.join(at.server.dataDir, 'copy-work');
    expect(fs.readdirSync(work)).toEqual([revision.id]);
    expect((await api().cancelCopyRevision({ params })).body.revision.status).toBe('cancelled');
    expect((await api().cancelCopyRevision({ params })).body.revision.status).toBe('cancelled');
    await expect.poll(() => fs.readdirSync(work)).toEqual([]);

    const again = await create({ sourceId: own });
    expect(again.copy.id).toBe(copy.id);
    const next = { copyId: copy.id, revisionId: again.revision.id };
    await at.settled(next);
    expect(await approve(next)).toMatchObject({ status: 'succeeded' });
    const { sourceId: copied = '' } = (await api().getCopy({ params })).body.copy;
    await expect
      .poll(
        () =>
          api()
            .deleteCopy({ params })
            .then(() => 'deleted', String),
        { timeout: 20_000 },
      )
      .toBe('deleted');
    await expect(api().getSource({ params: { sourceId: copied } })).rejects.toMatchObject({ status: 404 });
    await expect(api().getCopy({ params })).rejects.toMatchObject({ status: 404 });
    await expect.poll(() => fs.existsSync(repositoryOf(copy.id))).toBe(false);
  });

  test('has a newer package when one of the calls that share it allows that', async () => {
    const name = 'example/shared/aws';
    const shared = at.registry.repository('shared', { 'main.tf': 'output "name" {\n  value = "one"\n}\n' });
    shared.git('tag', 'v1.0.0');
    at.registry.publish(name, '1.0.0', `git::${shared.url}?ref=v1.0.0`);
    const address = `${at.registry.host}/${name}`;
    const git = `git::${shared.url}?ref=v1.0.0`;
    const { url } = at.registry.repository('sharing', {
      'main.tf': callOf('exact', address, '1.0.0') + callOf('range', address, '~> 1.0') + callOf('tag', git),
    });
    const { copy, revision } = await create({ sourceId: await at.createSource(url), name: 'Sharing' });
    const params = { copyId: copy.id, revisionId: revision.id };
    const { review } = await at.settled(params);
    expect(review?.packages).toHaveLength(1);
    expect(review?.calls.map((one) => one.address)).toEqual([address, address, git]);
    expect(await approve(params)).toMatchObject({ status: 'succeeded' });
    expect((await api().checkCopyUpstream({ params })).body).toMatchObject({ hasChanged: false, packages: [] });
    shared.commit({ 'main.tf': 'output "name" {\n  value = "two"\n}\n' });
    shared.git('tag', 'v1.1.0');
    at.registry.publish(name, '1.1.0', `git::${shared.url}?ref=v1.1.0`);
    expect((await api().checkCopyUpstream({ params })).body).toMatchObject({
      hasChanged: true,
      packages: [{ address, from: '1.0.0', to: '1.1.0' }],
    });
  });
});
