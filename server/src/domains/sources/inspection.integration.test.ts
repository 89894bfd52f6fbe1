import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePath } from '#server/drivers/archive/index';
import { digestOf } from '#server/kernel/digest';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
});
afterAll(() => Promise.all([server.close(), git.close()]));

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason, details?.field].filter((part) => part !== undefined);
};
type Synced = { sourceId: string; snapshotId: string };
let names = 0;
/** Registers and syncs a repository with these files. */
async function synced(files: Record<string, string | Buffer>, defaultPath = '.'): Promise<Synced> {
  names += 1;
  git.repository(`r${names}`, files);
  return syncedAt(`r${names}`, defaultPath);
}
async function syncedAt(name: string, defaultPath = '.'): Promise<Synced> {
  const body = { workspaceId: server.workspaceId, name, url: git.url(name), defaultPath };
  const sourceId = (await server.api.createSource({ body })).body.source.id;
  const { run } = (await server.api.syncSource({ params: { sourceId }, body: {} })).body;
  await server.ended(run.id);
  const [snapshot] = (await server.api.listSnapshots({ params: { sourceId } })).body.snapshots;
  return { sourceId, snapshotId: snapshot?.id ?? '' };
}
const modulesOf = async ({ sourceId, snapshotId }: Synced) =>
  (await server.api.getInstallModules({ params: { sourceId, sourceSnapshotId: snapshotId } })).body;
const check = (sourceId: string, body: object = {}) =>
  server.request('POST', `/api/v1/sources/${sourceId}/compatibility-check`, body);
const plain = 'variable "name" { type = string }\noutput "hello" { value = var.name }\n';

describe('install-modules', () => {
  test('lists the modules of the scope with what they need', async () => {
    const aws =
      'terraform {\n  required_providers {\n    aws = {\n      source  = "hashicorp/aws"\n      version = "~> 5.0"\n    }\n  }\n}\nprovider "aws" {}\n';
    const at = await synced({ 'infra/a/main.tf': aws, 'infra/b/main.tf': plain, 'other/main.tf': plain }, 'infra');
    expect(await modulesOf(at)).toEqual({
      status: 'ready',
      sourceSnapshotId: at.snapshotId,
      scopePath: 'infra',
      modules: [
        {
          path: 'a',
          providerPackages: [{ source: 'registry.opentofu.org/hashicorp/aws', version: '~> 5.0' }],
          rootProviderRequirements: [
            { source: 'registry.opentofu.org/hashicorp/aws', moduleLocalName: 'aws', version: '~> 5.0' },
          ],
        },
        { path: 'b', providerPackages: [], rootProviderRequirements: [] },
      ],
    });
  });

  test('of a repository without modules is an empty list', async () => {
    expect(await modulesOf(await synced({ 'README.md': 'nothing here' }))).toMatchObject({
      status: 'ready',
      modules: [],
    });
  });

  test('of broken HCL reports the location and the scopes without errors', async () => {
    const at = await synced({ 'bad/main.tf': 'resource {', 'good/main.tf': plain });
    const discovery = await modulesOf(at);
    expect(discovery).toMatchObject({ status: 'invalid', reason: 'configuration_invalid', modules: [] });
    if (discovery.status !== 'invalid') return;
    expect(discovery.findings[0]?.path).toBe('bad/main.tf');
    expect(discovery.cleanScopes).toEqual(['good']);
  });

  test('does not come from a scan of an earlier revision', async () => {
    const at = await synced({ 'main.tf': plain });
    server.ledger(({ sqlite }) => {
      const { tool } = sqlite.prepare('SELECT tool FROM snapshot_scans WHERE snapshot_id = ?').get(at.snapshotId) as {
        tool: string;
      };
      sqlite
        .prepare("UPDATE snapshot_scans SET tool = ?, result = json_set(result, '$.discovery.modules', json('[]'))")
        .run(tool.split(' ', 2).join(' '));
    });
    expect(await modulesOf(at)).toMatchObject({ status: 'ready', modules: [{ path: '.' }] });
  });

  test('of a snapshot of another Source is not found', async () => {
    const one = await synced({ 'main.tf': plain });
    const other = await synced({ 'main.tf': plain });
    const params = { sourceId: one.sourceId, sourceSnapshotId: other.snapshotId };
    await expect(server.api.getInstallModules({ params })).rejects.toMatchObject({ status: 404 });
  });
});

describe('one file of a snapshot', () => {
  let at: Synced;
  const big = 131_072;
  beforeAll(async () => {
    const repository = git.repository('files', {
      'infra/main.tf': plain,
      'infra/ümlaut und raum.txt': '\ufeffmit BOM',
      'infra/empty': '',
      'infra/binary': Buffer.from([0xff, 0xfe, 0]),
      'infra/full': 'x'.repeat(big),
      'infra/too-big': 'x'.repeat(big + 1),
      'infra/deep/er/file.txt': 'deep',
      'infra/.well-known/svc.json': '{"nested": true}',
      'outside.txt': 'outside',
      '.well-known/svc.json': '{"apiVersion":"svc/v1"}',
    });
    const link = repository.gitWith('main.tf', 'hash-object', '-w', '--stdin');
    repository.git('update-index', '--add', '--cacheinfo', `120000,${link},infra/link`);
    repository.git('update-index', '--add', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD')},infra/sub`);
    repository.git('commit', '-q', '-m', 'links');
    at = await syncedAt('files', 'infra');
  });
  const read = (query: string) =>
    server.request('GET', `/api/v1/sources/${at.sourceId}/snapshots/${at.snapshotId}/file?${query}`);

  test('comes with its text, digest and size', async () => {
    const expected = (path: string, text: string) => ({
      sourceSnapshotId: at.snapshotId,
      path,
      text,
      digest: digestOf(text),
      sizeBytes: Buffer.byteLength(text),
    });
    expect((await read('path=main.tf')).json).toEqual(expected('main.tf', plain));
    expect((await read('path=empty')).json).toEqual(expected('empty', ''));
    const name = 'ümlaut und raum.txt';
    expect((await read(`path=${encodeURIComponent(name)}`)).json).toEqual(expected(name, '\ufeffmit BOM'));
    expect((await read('path=full')).status).toBe(200);
    // Only the manifest at the root of the repository is reserved.
    expect((await read('path=.well-known/svc.json')).status).toBe(200);
  });

  test('is refused when the path is not that of a file', async () => {
    for (const path of [
      '',
      '../outside.txt',
      '/infra/main.tf',
      'a//b',
      './main.tf',
      'deep/',
      'x'.repeat(1_025),
      'a%00',
    ])
      expect([path, ...statusAndCode(await read(`path=${path}`))]).toEqual([path, 400, 'invalid_request', '/path']);
    expect(statusAndCode(await read(''))).toEqual([400, 'invalid_request', '/path']);
    expect(statusAndCode(await read('path=a&path=b'))).toEqual([400, 'invalid_request', '/path']);
    expect(statusAndCode(await read('path=a&more=b'))).toEqual([400, 'invalid_request', '/more']);
    expect(statusAndCode(await read('path=nothing'))).toEqual([404, 'not_found']);
    expect(statusAndCode(await read('path=outside.txt'))).toEqual([404, 'not_found']);
  });

  test('is refused when it is not ordinary text', async () => {
    const refused: [string, string][] = [
      ['link', 'snapshot_file_not_regular'],
      ['sub', 'snapshot_file_not_regular'],
      ['deep', 'snapshot_file_not_regular'],
      ['deep/er', 'snapshot_file_not_regular'],
      ['.', 'snapshot_file_not_regular'],
      ['too-big', 'snapshot_file_too_large'],
      ['binary', 'snapshot_file_invalid_utf8'],
    ];
    for (const [path, reason] of refused)
      expect([path, ...statusAndCode(await read(`path=${path}`))]).toEqual([
        path,
        400,
        'invalid_argument',
        reason,
        '/path',
      ]);
  });

  test('is readable for the operator by the same rules, and for no other token there', async () => {
    const operator = { authorization: `Bearer ${server.operatorToken}` };
    const request = (query: string, headers?: Record<string, string>, snapshotId = at.snapshotId) => {
      const path = `/internal/v1/sources/${at.sourceId}/snapshots/${snapshotId}/file?${query}`;
      return server.request('GET', path, undefined, headers);
    };
    expect((await request('path=main.tf', operator)).json).toEqual((await read('path=main.tf')).json);
    expect(statusAndCode(await request('path=main.tf'))).toEqual([401, 'unauthenticated']);
    expect(statusAndCode(await request('path=../x', operator))).toEqual([400, 'invalid_request', '/path']);
    expect(statusAndCode(await request('path=a&path=b', operator))).toEqual([400, 'invalid_request', '/path']);
    expect(statusAndCode(await request('path=nothing', operator))).toEqual([404, 'not_found']);
    expect(statusAndCode(await request('path=link', operator))).toContain('snapshot_file_not_regular');
    expect(statusAndCode(await request('path=too-big', operator))).toContain('snapshot_file_too_large');
    expect(statusAndCode(await request('path=binary', operator))).toContain('snapshot_file_invalid_utf8');
    const other = await synced({ 'main.tf': plain });
    expect(statusAndCode(await request('path=main.tf', operator, other.snapshotId))).toEqual([404, 'not_found']);
    const foreign = server.request(
      'GET',
      `/api/v1/sources/${at.sourceId}/snapshots/${other.snapshotId}/file?path=main.tf`,
    );
    expect(statusAndCode(await foreign)).toEqual([404, 'not_found']);
  });

  test('is never the repository manifest, whatever the path of the Source', async () => {
    const root = await syncedAt('files');
    const address = (where: Synced, path: string) =>
      `/api/v1/sources/${where.sourceId}/snapshots/${where.snapshotId}/file?path=${path}`;
    const reserved = [400, 'invalid_argument', 'snapshot_file_reserved', '/path'];
    expect(statusAndCode(await server.request('GET', address(root, '.well-known/svc.json')))).toEqual(reserved);
    const inside = await syncedAt('files', '.well-known');
    expect(statusAndCode(await server.request('GET', address(inside, 'svc.json')))).toEqual(reserved);
    const [snapshot] = (await server.api.listSnapshots({ params: { sourceId: root.sourceId } })).body.snapshots;
    expect(snapshot?.repositoryManifest?.status).not.toBe('absent');
  });
});

describe('lines and README of a snapshot', () => {
  let at: Synced;
  beforeAll(async () => {
    git.repository('lined', {
      'infra/main.tf': 'one\ntwo\nthree\n',
      'infra/binary': Buffer.from([0xff, 0xfe, 0]),
      'infra/module/readme.md': '# Module\n',
      'README.md': '# Outside\n',
      '.well-known/svc.json': '{"apiVersion":"svc/v1"}',
    });
    at = await syncedAt('lined', 'infra');
  });
  const read = (what: string, query: string, where = at) =>
    server.request('GET', `/api/v1/sources/${where.sourceId}/snapshots/${where.snapshotId}/${what}?${query}`);

  test('come from the archive, with the number of all lines', async () => {
    expect((await read('lines', 'path=main.tf&from=2&to=9')).json).toEqual({
      sourceSnapshotId: at.snapshotId,
      path: 'main.tf',
      from: 2,
      lines: [{ text: 'two' }, { text: 'three' }],
      totalLines: 3,
    });
    expect((await read('readme', 'path=module')).json).toEqual({
      sourceSnapshotId: at.snapshotId,
      readme: { path: 'module/readme.md', text: '# Module\n', sizeBytes: 9 },
    });
    expect((await read('readme', '')).json).toEqual({ sourceSnapshotId: at.snapshotId });
  });

  test('are refused for what is not text inside the Source path', async () => {
    const range = 'from=1&to=2';
    expect(statusAndCode(await read('lines', `path=binary&${range}`))).toContain('snapshot_file_invalid_utf8');
    expect(statusAndCode(await read('lines', `path=module&${range}`))).toContain('snapshot_file_not_regular');
    expect(statusAndCode(await read('lines', `path=nothing&${range}`))).toEqual([404, 'not_found']);
    for (const path of ['../README.md', '/infra/main.tf'])
      expect(statusAndCode(await read('lines', `path=${path}&${range}`))).toEqual([400, 'invalid_request', '/path']);
    expect(statusAndCode(await read('readme', 'path=..'))).toEqual([400, 'invalid_request', '/path']);
    for (const [query, field] of [
      ['from=0&to=1', '/from'],
      ['from=2&to=1', '/to'],
      ['from=1&to=201', '/to'],
      ['from=1', '/to'],
    ])
      expect(statusAndCode(await read('lines', `path=main.tf&${query}`))).toEqual([400, 'invalid_request', field]);
  });

  test('are never those of the repository manifest', async () => {
    const inside = await syncedAt('lined', '.well-known');
    const reserved = [400, 'invalid_argument', 'snapshot_file_reserved', '/path'];
    expect(statusAndCode(await read('lines', 'path=svc.json&from=1&to=1', inside))).toEqual(reserved);
  });
});

describe('a comparison of two snapshots', () => {
  const compare = ({ sourceId, snapshotId }: Synced, from: string) =>
    server.request('GET', `/api/v1/sources/${sourceId}/snapshots/${snapshotId}/comparison?from=${from}`);
  const syncAgain = async (sourceId: string): Promise<Synced> => {
    await server.ended((await server.api.syncSource({ params: { sourceId }, body: {} })).body.run.id);
    const [snapshot] = (await server.api.listSnapshots({ params: { sourceId } })).body.snapshots;
    return { sourceId, snapshotId: snapshot?.id ?? '' };
  };

  test('names the two commits, the files and the changed lines of configuration', async () => {
    const repository = git.repository('compared', { 'main.tf': plain, '.well-known/svc.json': '{"old": 1}' });
    const older = await syncedAt('compared');
    repository.commit({ 'main.tf': `${plain}# more\n`, '.well-known/svc.json': '{"new": 1}' });
    const newer = await syncAgain(older.sourceId);
    const { status, json } = await compare(newer, older.snapshotId);
    expect([status, json]).toMatchObject([
      200,
      {
        comparison: {
          from: { sourceSnapshotId: older.snapshotId, commit: { subject: 'change' } },
          to: { sourceSnapshotId: newer.snapshotId, resolvedCommit: repository.git('rev-parse', 'HEAD') },
          files: [
            { path: 'main.tf', hunks: [{ lines: expect.arrayContaining(['+# more']) }] },
            { path: '.well-known/svc.json', omitted: 'reserved' },
          ],
          fileCount: 2,
        },
      },
    ]);
    expect((await compare(newer, newer.snapshotId)).json).toMatchObject({ comparison: { files: [], fileCount: 0 } });
    fs.rmSync(archiveOf(older));
    expect(statusAndCode(await compare(newer, older.snapshotId))).toContain('source_sync_required');
  });

  test('is refused for two folders, and for a snapshot of another Source', async () => {
    git.repository('folders', { 'a/main.tf': plain, 'b/main.tf': plain });
    const one = await syncedAt('folders', 'a');
    await server.api.updateSource({ params: { sourceId: one.sourceId }, body: { defaultPath: 'b' } });
    const two = await syncAgain(one.sourceId);
    const refused = [400, 'invalid_argument', 'snapshot_paths_differ', '/from'];
    expect(statusAndCode(await compare(two, one.snapshotId))).toEqual(refused);
    const foreign = await synced({ 'main.tf': plain });
    expect(statusAndCode(await compare(two, foreign.snapshotId))).toEqual([404, 'not_found']);
    expect(statusAndCode(await compare(two, 'x'))).toEqual([400, 'invalid_request', '/from']);
  });

  function archiveOf({ snapshotId }: Synced): string {
    const { digest } = server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT archive_digest AS digest FROM source_snapshots WHERE id = ?').get(snapshotId),
    ) as { digest: string };
    return archivePath(`${server.dataDir}/archives`, digest);
  }
});

describe('a snapshot whose files are missing or altered', () => {
  const archives = () =>
    fs
      .readdirSync(`${server.dataDir}/archives`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tar'))
      .map((name) => `${server.dataDir}/archives/${name}`);
  const refused = [409, 'failed_precondition', 'source_sync_required'];

  test('is not shown and not checked, and is restored by another sync', async () => {
    for (const [index, harm] of [fs.rmSync, (file: string) => fs.appendFileSync(file, 'x')].entries()) {
      const before = archives();
      const at = await synced({ 'main.tf': plain, 'mark.txt': `${index}` });
      const [file] = archives().filter((name) => !before.includes(name));
      harm(file ?? '');
      // The scan result of the sync remains; a tool of another version would have to scan again.
      server.ledger((db) => db.sqlite.exec('DELETE FROM snapshot_scans'));
      const address = `/api/v1/sources/${at.sourceId}/snapshots/${at.snapshotId}`;
      const requestAll = async () => [
        statusAndCode(await server.request('GET', `${address}/file?path=main.tf`)),
        statusAndCode(await server.request('GET', `${address}/install-modules`)),
        statusAndCode(await check(at.sourceId)),
      ];
      expect(await requestAll()).toEqual([refused, refused, refused]);
      const { run } = (await server.api.syncSource({ params: { sourceId: at.sourceId }, body: {} })).body;
      await server.ended(run.id);
      expect(await requestAll()).toEqual([[200], [200], [201]]);
    }
  });
});

describe('a compatibility check', () => {
  test('writes a report and an ended Run, both visible to every reader', async () => {
    const { sourceId, snapshotId } = await synced({ 'main.tf': plain });
    const { report, run } = (await server.api.checkCompatibility({ params: { sourceId }, body: {} })).body;
    expect(report).toMatchObject({
      id: expect.stringMatching(/^caprep_[0-9A-Z]{26}$/),
      sourceId,
      sourceSnapshotId: snapshotId,
      modulePath: '.',
      level: 'ready',
      rootModuleVariables: ['name'],
      rootModuleVariableDeclarations: [{ name: 'name', type: 'string', hasDefault: false, typeText: 'string' }],
      rootModuleOutputs: [{ name: 'hello', sensitive: false, ephemeral: false }],
    });
    expect(run).toMatchObject({
      id: expect.stringMatching(/^ccr_[0-9A-Z]{26}$/),
      type: 'compatibility_check',
      status: 'succeeded',
      compatibilityReportId: report.id,
    });
    const viewer = await server.join('viewer');
    expect((await viewer.api.getReport({ params: { reportId: report.id } })).body.report).toEqual(report);
    const { auditEvents } = (await viewer.api.getRunEvents({ params: { runId: run.id } })).body;
    expect(auditEvents.map(({ type }) => type)).toEqual([
      'compatibility_check.requested',
      'compatibility_check.started',
      'compatibility_check.completed',
    ]);
  });

  test('needs a snapshot of this Source', async () => {
    const body = { workspaceId: server.workspaceId, name: 'n', url: git.url('never') };
    const fresh = (await server.api.createSource({ body })).body.source.id;
    expect(statusAndCode(await check(fresh))).toEqual([409, 'failed_precondition', 'source_sync_required']);
    const { snapshotId } = await synced({ 'main.tf': plain });
    expect(statusAndCode(await check(fresh, { sourceSnapshotId: snapshotId }))).toEqual([404, 'not_found']);
    expect(statusAndCode(await check(fresh, { sourceSnapshotId: `snap_${'0'.repeat(26)}` }))).toEqual([
      404,
      'not_found',
    ]);
    expect(statusAndCode(await check(fresh, { sourceSnapshotId: 'snap_x' }))).toEqual([
      400,
      'invalid_request',
      '/sourceSnapshotId',
    ]);
  });

  test('uses the current head of the default lane', async () => {
    const { sourceId } = await synced({ 'main.tf': plain, 'net/main.tf': plain });
    await server.api.updateSource({ params: { sourceId }, body: { defaultPath: 'net' } });
    expect(statusAndCode(await check(sourceId))).toEqual([409, 'failed_precondition', 'source_sync_required']);
  });

  test('of several modules needs a module path', async () => {
    const { sourceId } = await synced({ 'a/main.tf': plain, 'b/main.tf': plain });
    const required = await check(sourceId);
    expect(statusAndCode(required)).toEqual([400, 'invalid_argument', 'module_path_required', '/modulePath']);
    expect(required.json).toMatchObject({ error: { details: { allowed: ['a', 'b'] } } });
    expect(statusAndCode(await check(sourceId, { modulePath: 'c' }))).toEqual([
      400,
      'invalid_argument',
      'module_path_not_found',
      '/modulePath',
    ]);
    expect((await check(sourceId, { modulePath: 'b' })).json).toMatchObject({ report: { modulePath: 'b' } });
  });

  test('of a folder that the list leaves out works when the folder is named', async () => {
    const at = await synced({
      'main.tf': 'module "net" { source = "./net" }\n',
      'net/main.tf': plain,
      'examples/x/main.tf': 'module "root" { source = "../../" }\n',
    });
    for (const modulePath of ['examples/x', 'net'])
      expect((await check(at.sourceId, { modulePath })).json).toMatchObject({ report: { modulePath, level: 'ready' } });
    expect(await modulesOf(at)).toMatchObject({ modules: [{ path: '.' }] });
    for (const modulePath of ['examples', 'examples/gone', '../x', './net'])
      expect(await check(at.sourceId, { modulePath })).toMatchObject({
        status: 400,
        json: { error: { details: { reason: 'module_path_not_found', field: '/modulePath' } } },
      });
  });

  test('reports a snapshot without any module', async () => {
    const { sourceId } = await synced({ 'README.md': 'nothing' });
    expect(statusAndCode(await check(sourceId))).toEqual([
      400,
      'invalid_argument',
      'module_path_not_found',
      '/modulePath',
    ]);
  });

  test('of a module that cannot be planned is a report with the obstacles', async () => {
    const remote = 'module "a" { source = "registry.example.com/a/b/c" }\n';
    const { sourceId } = await synced({ 'main.tf': remote });
    const { report } = (await server.api.checkCompatibility({ params: { sourceId }, body: {} })).body;
    expect(report.level).toBe('unsupported');
    expect(report.findings.map(({ code }) => code)).toContain('remote_module_source');
  });

  test('reports before the first plan that a module runs its own code', async () => {
    const external =
      'data "external" "x" { program = ["sh"] }\nresource "terraform_data" "y" {\n  provisioner "local-exec" { command = "true" }\n}\n';
    const { sourceId } = await synced({ 'main.tf': external });
    const { report } = (await server.api.checkCompatibility({ params: { sourceId }, body: {} })).body;
    const codes = report.findings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['external_program_present', 'provisioner_present']));
  });

  test('is judged by the policy of the configuration that it is made for as well', async () => {
    const { sourceId } = await synced({ 'main.tf': 'resource "terraform_data" "y" {}\n' });
    const policy = JSON.stringify({ allowedResourceTypes: ['other'] });
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE install_configs SET policy = ? WHERE id = ?').run(policy, genericInstallConfigId),
    );
    const levelFor = async (body: object) =>
      (await server.api.checkCompatibility({ params: { sourceId }, body })).body.report.level;
    expect(await levelFor({ installConfigId: genericInstallConfigId })).toBe('unsupported');
    expect(await levelFor({})).toBe('ready');
    server.ledger((db) => db.sqlite.exec("UPDATE install_configs SET policy = '{}'"));
  });

  test('is judged by the policy of the Workspace, and again when that has changed', async () => {
    const { sourceId } = await synced({
      'main.tf': 'resource "terraform_data" "y" {\n  provisioner "local-exec" { command = "true" }\n}\n',
    });
    const params = { workspaceId: server.workspaceId };
    const level = async (policy: object) => {
      await server.api.updateWorkspace({ params, body: { policy } });
      return (await server.api.checkCompatibility({ params: { sourceId }, body: {} })).body.report;
    };
    expect(await level({ allowedProvisionerTypes: ['remote-exec'] })).toMatchObject({
      level: 'unsupported',
      provisioners: [{ type: 'local-exec', allowed: false }],
      findings: [{ code: 'provisioner_not_allowed', context: { type: 'local-exec' } }, { code: 'provisioner_present' }],
    });
    expect(await level({ allowedResourceTypes: [] })).toMatchObject({
      level: 'unsupported',
      resources: [{ type: 'terraform_data', count: 1, allowed: false }],
    });
    expect(await level({})).toMatchObject({
      level: 'ready',
      resources: [{ type: 'terraform_data', count: 1, allowed: true }],
      provisioners: [{ type: 'local-exec', allowed: true }],
    });
  });
});
