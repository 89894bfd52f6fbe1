import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { type Ended, groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { getRun, startApply } from './fixtures/journey.ts';
import { thing } from './fixtures/modules.ts';

const module = `variable "names" { type = list(string) }
variable "key" {
  type      = string
  sensitive = true
}
resource "terraform_data" "one" {
  for_each         = toset(var.names)
  input            = each.value
  triggers_replace = [var.key]
}
output "names" { value = [for one in terraform_data.one : one.output] }
output "key" {
  value     = var.key
  sensitive = true
}
`;
/** Replaces an existing `fake_thing` that was imported. */
const destructive = `import {
  to = terraform_data.one
  id = "known-elsewhere"
}
resource "terraform_data" "one" {
  triggers_replace = ["another"]
}
`;

let harness: Harness;
let folder: string;
let url: string;
const secret = `secret-${randomBytes(12).toString('hex')}`;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'groundctl-cli-'));
  harness = await startHarness({ providers: true });
  url = harness.repository('names', { 'main.tf': module }).url;
});
afterAll(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const here = () => ['--data-dir', harness.server.dataDir];
const names = ['--var', 'names=["Ada", "Bo"]', '--secret-var', 'key'];
const install = (address: string, ...more: string[]): Promise<Ended> =>
  groundctl(['install', address, ...here(), ...more], { input: `${secret}\n` });
const json = <T>({ out }: Ended): T => JSON.parse(out) as T;
const runsOf = async (...more: string[]) =>
  json<{ runs: Run[] }>(await groundctl(['runs', ...here(), '--json', ...more])).runs;

describe('install', () => {
  test('installs and applies, and prints no secret', async () => {
    const { code, out, err } = await install(url, ...names, '--name', 'whole', '--auto-approve');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('  + terraform_data.one["Ada"]\n      input: "Ada"\n');
    expect(out).toContain('Plan: 2 to add, 0 to change, 0 to destroy\n');
    expect(out).toContain('Apply complete!');
    expect(out).toMatch(/\nApplied: 2 added, 0 changed, 0 destroyed\.\nOutputs\n {2}names = \["Ada","Bo"\]\n/);
    expect(out + err).not.toContain(secret);
    expect(out).not.toContain('\u001b');
  });

  test('prints the exact build commands of a manifest before the plan', async () => {
    const sourceBuild = {
      commands: [{ argv: ['sh', 'make.sh', 'two words'], workingDirectory: 'app' }],
      outputs: ['app/made.txt'],
    };
    const manifest = {
      apiVersion: 'svc/v2.3',
      kind: 'Repository',
      install: { modules: { '.': { inputs: [], sourceBuild } } },
    };
    const built = harness.repository('built', {
      '.well-known/svc.json': JSON.stringify(manifest),
      'main.tf': 'output "made" {\n  value = file("app/made.txt")\n}\n',
      'app/make.sh': 'printf %s "$1" >made.txt\n',
    });
    const { code, out, err } = await install(built.url, '--name', 'built', '--auto-approve');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain(
      'Before the plan this is run in a copy of the repository, without network and credentials:\n  sh make.sh "two words" (in "app")\nFiles that are taken from it: app/made.txt\n',
    );
    expect(out).toContain('made = two words');
  });

  test('prints only one JSON document on standard output', async () => {
    const ended = await install(url, ...names, '--name', 'as json', '--auto-approve', '--json');
    expect(ended.code).toBe(0);
    expect(json(ended)).toMatchObject({
      outcome: 'applied',
      summary: { add: 2, change: 0, destroy: 0 },
      outputs: { names: ['Ada', 'Bo'] },
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      link: expect.stringMatching(/^http:.*\/runs\/apply_/),
    });
    expect(ended.out).not.toContain(secret);
  });

  test('stops without a terminal, and the plan can be applied later', async () => {
    const { code, err } = await install(url, ...names, '--name', 'waits');
    expect(code).toBe(3);
    const [, planId = ''] = /waits for you at http:\S+\/runs\/(plan_\w+)/.exec(err) ?? [];
    const shown = await groundctl(['runs', 'show', planId, ...here()]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('2 to add, 0 to change, 0 to destroy') });
    const apply = await startApply(harness, await getRun(harness, planId));
    const followed = await groundctl(['logs', '-f', apply.id, ...here()]);
    expect(followed).toMatchObject({ code: 0, out: expect.stringContaining('Apply complete!') });
  });

  test('never destroys without --allow-destroy, whatever is approved', async () => {
    const repository = harness.repository('destroys', { 'main.tf': destructive });
    const refused = await install(repository.url, '--auto-approve');
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('--allow-destroy') });
    expect(refused.out).toContain('-/+ terraform_data.one');
    const done = await install(repository.url, '--name', 'allowed', '--auto-approve', '--allow-destroy');
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Applied') });
  });

  test('reports missing and invalid values before it plans', async () => {
    const before = (await runsOf('--type', 'plan')).length;
    const missing = await install(url, '--name', 'lacks');
    expect(missing.code).toBe(2);
    for (const line of ['  --var names=VALUE   list(string)\n', '  --secret-var key   string\n'])
      expect(missing.err).toContain(line);
    const misfit = await install(url, '--name', 'lacks', '--var', 'names=[[]]', '--secret-var', 'key');
    expect(misfit).toMatchObject({ code: 2, err: expect.stringContaining('"names" at /0 does not fit its type') });
    const argv = await install(url, '--name', 'lacks', '--var', `key=${secret}`);
    expect(argv).toMatchObject({ code: 2, err: expect.stringContaining('--secret-var key') });
    expect(argv.err).not.toContain(secret);
    const taken = await install(url, ...names, '--name', 'whole');
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('Choose another --name') });
    expect((await runsOf('--type', 'plan')).length).toBe(before);
  });

  test('lists several modules, and installs the named one', async () => {
    const files = {
      'a/main.tf': 'output "which" {\n  value = "a"\n}\n',
      'b/main.tf': 'output "which" {\n  value = "b"\n}\n',
    };
    const several = harness.repository('several', files).url;
    const listed = await install(several);
    expect(listed).toMatchObject({ code: 2, err: expect.stringContaining('  --module a\n  --module b') });
    const chosen = await install(several, '--module', 'b', '--auto-approve');
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining('  which = b\n') });
    const narrowed = await install(several, '--path', 'a', '--name', 'narrow', '--auto-approve', '--json');
    expect(json(narrowed)).toMatchObject({ outputs: { which: 'a' } });
  });

  test('installs a named example folder, and explains how when an address names it as Source path', async () => {
    const files = {
      'main.tf': 'output "which" {\n  value = "root"\n}\n',
      'examples/x/main.tf': 'module "root" {\n  source = "../../"\n}\noutput "x" {\n  value = module.root.which\n}\n',
    };
    const repository = harness.repository('with-examples', files).url;
    const cut = await install(repository, '--path', 'examples/x');
    expect(cut).toMatchObject({ code: 1, err: expect.stringContaining('  --path . --module examples/x') });
    const whole = await install(repository, '--path', '.', '--module', './examples/x/', '--auto-approve');
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('  x = root\n') });
    const missing = await install(repository, '--module', 'examples/y');
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no module "examples/y". Choose one:\n  --module .'),
    });
  });

  test('reports why a repository cannot be used, with the codes of the server', async () => {
    const gone = await install(`${url}-gone`, '--json');
    expect(gone.code).toBe(1);
    expect(json(gone)).toMatchObject({ error: { code: expect.stringMatching(/^source_/) } });
    const remote = 'module "far" {\n  source = "https://example.com/far.zip"\n}\n';
    const files = { 'main.tf': remote, 'clean/main.tf': 'output "fine" {\n  value = 1\n}\n' };
    const invalid = await install(harness.repository('remote', files).url);
    expect(invalid).toMatchObject({ code: 1, err: expect.stringContaining('main.tf: ') });
    expect(invalid.err).toContain('  --path clean');
    expect((await install(url, '--ref', 'no..ref')).code).toBe(2);
    expect((await install('::')).code).toBe(2);
  });

  test('names the missing credentials of a provider, and binds the named Connection', async () => {
    const recipe = {
      id: 'fake',
      displayName: 'The test provider',
      terraformSource: ['test/fake'],
      requiredEnvGroups: [['FAKE_TOKEN']],
      authModes: { token: { env: { FAKE_TOKEN: { from: 'secret' } } } },
    };
    const recipes = path.join(harness.server.dataDir, 'recipes');
    mkdirSync(recipes, { recursive: true });
    writeFileSync(path.join(recipes, 'fake.json'), JSON.stringify(recipe));
    const { workspaceId } = harness;
    const response = await harness.http.post('/api/v1/connections', {
      workspaceId,
      provider: 'test/fake',
      displayName: 'My account',
      credentialRecipe: { id: 'fake', authMode: 'token' },
      values: { FAKE_TOKEN: secret },
    });
    expect(response.status).toBe(201);
    const body = `terraform {
  required_providers {
    fake = { source = "test/fake" }
  }
}
provider "fake" {
  world = "\${path.root}/world"
}
${thing('kept')}`;
    const needy = harness.repository('needy', { 'main.tf': body }).url;
    const lacking = await install(needy);
    expect(lacking.code).toBe(2);
    expect(lacking.err).toMatch(/ {2}fake \(\S*test\/fake\): needs a Connection and has none\./);
    expect(await install(needy, '--connection', 'fake=Missing')).toMatchObject({ code: 2 });
    const bound = await install(needy, '--connection', 'fake=My account', '--auto-approve');
    expect(bound).toMatchObject({ code: 0, out: expect.stringContaining('Applied') });
    expect(bound.err).toContain('can reach: FAKE_TOKEN');
    expect(bound.out + bound.err).not.toContain(secret);
  });

  test('exits with 1 and the error of the tool when the apply fails', async () => {
    const failing = `resource "terraform_data" "broken" {
  lifecycle {
    postcondition {
      condition     = self.id == "never"
      error_message = "The world is full."
    }
  }
}
`;
    const { url: address } = harness.repository('failing', { 'main.tf': failing });
    const { code, out, err } = await install(address, '--auto-approve');
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('The apply failed (apply_failed)') });
    expect(out).toContain('The world is full.');
  });
});
