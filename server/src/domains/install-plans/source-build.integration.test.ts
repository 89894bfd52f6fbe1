import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceBuild } from '#shared/install-configs/source-build';
import { manifestLimits } from '#shared/limits';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('simple', { 'main.tf': 'output "a" { value = 1 }\n' });
});
afterAll(() => Promise.all([server.close(), git.close()]));

const build: SourceBuild = {
  commands: [
    { argv: ['make', 'dist', 'A=b c', '--', ''.padEnd(4, ' '), '日本'] },
    { argv: ['true'], workingDirectory: '.' },
  ],
  outputs: ['dist', 'app/site.zip'],
};
let keys = 0;
const bodyOf = (initialConfiguration: unknown) => ({
  source: { name: 'Modules', url: git.url('simple'), ref: 'main', path: '.' },
  capsule: { name: `Built ${keys}`, environment: 'test' },
  ...(initialConfiguration !== undefined && { initialConfiguration }),
});
function request(initialConfiguration: unknown, key?: string) {
  keys += 1;
  const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
  return server.request('POST', path, bodyOf(initialConfiguration), { 'idempotency-key': key ?? `build ${keys}` });
}

async function installed(initialConfiguration: unknown) {
  const { json } = await request(initialConfiguration);
  const { id: installPlanId } = (json as { installPlan: { id: string } }).installPlan;
  for (;;) {
    const { installPlan } = (await server.api.reconcileInstallPlan({ params: { installPlanId } })).body;
    if (installPlan.installConfigId === undefined && installPlan.phase !== 'failed') continue;
    const params = { capsuleConfigId: installPlan.installConfigId ?? '' };
    return { installPlan, config: (await server.api.getInstallConfig({ params })).body.installConfig };
  }
}

test('the requested build is part of the configuration of the Capsule, as it was written', async () => {
  const { installPlan, config } = await installed({ sourceBuild: build });
  expect(config.sourceBuild).toEqual(build);
  expect(installPlan).not.toHaveProperty('initialConfiguration');
  expect((await installed({})).config).not.toHaveProperty('sourceBuild');
  expect((await installed(undefined)).config).not.toHaveProperty('sourceBuild');
});

test('under a used key, no build and an empty build are the same request, and another build is not', async () => {
  keys += 1;
  const send = async (initialConfiguration: unknown) => {
    const capsule = { name: 'Kept', environment: 'test' };
    const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
    const body = { ...bodyOf(initialConfiguration), capsule };
    return (await server.request('POST', path, body, { 'idempotency-key': 'kept' })).status;
  };
  expect([await send(undefined), await send({}), await send({ sourceBuild: build })]).toEqual([201, 200, 409]);
});

test('a member may propose an installation, but no commands for it', async () => {
  const { token } = await server.join('member');
  const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
  const statusOf = async (key: string, initialConfiguration?: unknown) => {
    keys += 1;
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    const { status, json } = await server.request('POST', path, bodyOf(initialConfiguration), headers);
    return [status, (json as { error?: { code: string } }).error?.code];
  };
  expect(await statusOf('commands', { sourceBuild: build })).toEqual([403, 'forbidden']);
  expect(await statusOf('nothing', {})).toEqual([403, 'forbidden']);
  expect(await statusOf('plain')).toEqual([201, undefined]);
});

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const { buildCommands, argv, argLength, buildOutputs, pathLength } = manifestLimits;
const commands = (...items: unknown[]) => ({ ...build, commands: items });
const outputs = (...items: unknown[]) => ({ ...build, outputs: items });
const inFolder = (workingDirectory: unknown) => commands({ argv: ['true'], workingDirectory });

const taken: [string, unknown][] = [
  ['the maximum number of commands', commands(...many(buildCommands, () => ({ argv: ['true'] })))],
  ['the maximum number of arguments', commands({ argv: many(argv, String) })],
  ['an argument of the maximum length, counted in characters', commands({ argv: ['𝒳'.repeat(argLength)] })],
  ['the maximum number of outputs', outputs(...many(buildOutputs, (index) => `out/${index}`))],
  ['a path of the maximum length', outputs('a'.repeat(pathLength))],
  ['a working folder', inFolder('a/b c/d')],
];
test.each(taken)('%s is accepted', async (_, sourceBuild) => {
  expect((await request({ sourceBuild })).status).toBe(201);
});

const refused: [string, unknown, string][] = [
  ['no command', commands(), '/commands'],
  ['a command too many', commands(...many(buildCommands + 1, () => ({ argv: ['true'] }))), '/commands'],
  ['a command without arguments', commands({ argv: [] }), '/commands/0/argv'],
  ['an argument too many', commands({ argv: many(argv + 1, String) }), '/commands/0/argv'],
  ['an empty argument', commands({ argv: ['a', ''] }), '/commands/0/argv/1'],
  ['an argument too long', commands({ argv: ['a'.repeat(argLength + 1)] }), '/commands/0/argv/0'],
  ['an argument with NUL', commands({ argv: ['a\0b'] }), '/commands/0/argv/0'],
  ['a shell command as text', commands({ argv: 'make dist' }), '/commands/0/argv'],
  ['text instead of a command', commands('make'), '/commands/0'],
  ['an environment', commands({ argv: ['make'], env: { A: 'b' } }), '/commands/0/env'],
  ['a folder above', inFolder('../x'), '/commands/0/workingDirectory'],
  ['an absolute folder', inFolder('/x'), '/commands/0/workingDirectory'],
  ['no output', outputs(), '/outputs'],
  ['an output too many', outputs(...many(buildOutputs + 1, String)), '/outputs'],
  ...[
    '.',
    '..',
    'a/../b',
    './a',
    'a//b',
    'a/',
    '/a',
    'a\\b',
    ' a',
    'a ',
    'C:/a',
    'a\nb',
    'a'.repeat(pathLength + 1),
  ].map((path): [string, unknown, string] => [
    `the output ${JSON.stringify(path.slice(0, 12))}`,
    outputs('ok', path),
    '/outputs/1',
  ]),
  ['an unknown member', { ...build, credentials: true }, '/credentials'],
];
test.each(refused)('%s is refused', async (_, sourceBuild, field) => {
  const { status, json } = await request({ sourceBuild });
  const { code, details } = (json as { error: { code: string; details?: { field?: string } } }).error;
  expect([status, code, details?.field]).toEqual([400, 'invalid_request', `/initialConfiguration/sourceBuild${field}`]);
});

test('an argument that looks like a credential is refused with its pointer, and its text is never returned', async () => {
  const secret = `ghp_${'a1'.repeat(18)}`;
  const answer = await request({ sourceBuild: commands({ argv: ['true'] }, { argv: ['push', secret] }) });
  expect([answer.status, answer.json]).toMatchObject([
    400,
    {
      error: {
        code: 'invalid_argument',
        details: { reason: 'secret_like_value', field: '/initialConfiguration/sourceBuild/commands/1/argv/1' },
      },
    },
  ]);
  expect(answer.text).not.toContain(secret);
});
