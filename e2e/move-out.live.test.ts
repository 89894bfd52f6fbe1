import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree } from '../server/src/kernel/remove-tree.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned, planAgain } from './fixtures/journey.ts';
import { hasRealProviders, makeMirror } from './fixtures/mirror.ts';
import { planExported } from './fixtures/moving-folders.ts';
import { type MovingModule, movingModules } from './fixtures/moving-modules.ts';
import { findTool } from './fixtures/tool.ts';

const modules = movingModules.filter(({ isBuiltIn }) => isBuiltIn || hasRealProviders(findTool()));
const work = mkdtempSync(path.join(os.tmpdir(), 'groundctl-move-out-'));
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  await makeMirror(path.join(work, 'mirror'), harness.tool);
  const cli = `provider_installation {\n  filesystem_mirror {\n    path = "${path.join(work, 'mirror')}"\n  }\n}\n`;
  writeFileSync(path.join(work, 'cli.tfrc'), cli);
});
afterAll(async () => {
  await harness?.stop();
  removeTree(work);
});

async function installApplied({
  name,
  files,
  modulePath,
  variables = {},
  secrets = {},
}: MovingModule): Promise<string> {
  const { url } = harness.repository(name, files);
  const planned = await installPlanned(harness, {
    url,
    name,
    ...(modulePath && { modulePath }),
    variables: { ...variables, ...secrets },
    secretVariables: Object.keys(secrets),
  });
  await applyPlan(harness, planned.plan);
  return planned.capsuleId;
}

const env = () => ({ GROUNDCTL_KEY_FILE: path.join(harness.server.dataDir, 'keys', 'master.key') });
const onFolder = (...argv: string[]) => groundctl([...argv, '--data-dir', harness.server.dataDir], { env: env() });

/** All files of a folder, by their path. */
const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));

describe('groundctl export', () => {
  it.each(modules)('writes $name so that the tool plans no changes', { timeout: 60_000 }, async (module) => {
    const capsuleId = await installApplied(module);
    const dir = path.join(work, module.name);
    const exported = await onFolder('export', capsuleId, dir, '--with-state', '--confirm', module.name, '--json');
    expect(exported).toMatchObject({ code: 0 });
    expect(JSON.parse(exported.out)).toEqual({ dir, files: filesOf(dir).length, withState: true });
    const shared = [dir, ...filesOf(dir)].filter((file) => (lstatSync(path.resolve(dir, file)).mode & 0o077) !== 0);
    expect(shared).toEqual([]);
    const readme = readFileSync(path.join(dir, 'README.groundctl.md'), 'utf8');
    for (const [name, value] of Object.entries(module.secrets ?? {})) {
      expect(readme).toContain(`TF_VAR_${name}`);
      const settings = readFileSync(path.join(dir, module.modulePath ?? '.', 'terraform.tfvars.json'), 'utf8');
      expect(readme + settings).not.toContain(value);
    }
    expect(await planExported(work, dir, module)).toEqual({ code: 0, text: expect.stringContaining('No changes') });
  });

  it('writes no secret and no state unless it is confirmed twice', async () => {
    const secret = 'canary-of-an-export-without-state';
    const capsuleId = await installApplied({
      name: 'closed',
      files: {
        'main.tf':
          'variable "pin" {\n  sensitive = true\n}\nresource "terraform_data" "pin" {\n  input = var.pin\n}\noutput "pin" {\n  value = terraform_data.pin.output\n  sensitive = true\n}\n',
      },
      secrets: { pin: secret },
    });
    const dir = path.join(work, 'closed');
    const unconfirmed = await onFolder('export', capsuleId, dir, '--with-state');
    expect([unconfirmed.code, unconfirmed.err]).toEqual([2, expect.stringContaining('--confirm NAME')]);
    const wrong = await onFolder('export', capsuleId, dir, '--with-state', '--confirm', 'other');
    expect([wrong.code, existsSync(dir)]).toEqual([2, false]);
    expect(await onFolder('export', capsuleId, dir)).toMatchObject({ code: 0 });
    const texts = filesOf(dir).map((file) => readFileSync(path.join(dir, file), 'utf8'));
    expect(filesOf(dir).sort()).toEqual(['README.groundctl.md', 'main.tf', 'terraform.tfvars.json']);
    expect(texts.join('')).not.toContain(secret);
    const again = await onFolder('export', capsuleId, dir);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('not empty')]);

    for (const argv of [
      ['state', 'pull'],
      ['state', 'outputs', '--reveal', 'pin'],
    ]) {
      const refused = await onFolder(...argv, capsuleId);
      expect([argv, refused.code, refused.out]).toEqual([argv, 2, '']);
    }
    const shown = await onFolder('state', 'show', 'closed');
    expect(shown.out).toMatch(/closed, generation 1\n.*\n1 resources, 1 Outputs\n {2}terraform_data\.pin\n/);
    const listed = await onFolder('state', 'outputs', 'closed');
    expect(listed.out).toMatch(/^pin +sensitive$/m);
    expect(shown.out + listed.out).not.toContain(secret);
    const revealed = await onFolder('state', 'outputs', 'closed', '--reveal', 'pin', '--confirm', 'closed');
    expect(revealed).toMatchObject({ code: 0, out: `${secret}\n` });
    const pulled = await onFolder('state', 'pull', 'closed', '--confirm', 'closed');
    expect(JSON.parse(pulled.out)).toMatchObject({ version: 4, outputs: { pin: { value: secret } } });
  });

  it('records each use, and works the same with a stopped data folder', { timeout: 60_000 }, async () => {
    const module: MovingModule = {
      name: 'stopped',
      files: { 'main.tf': 'resource "terraform_data" "one" {\n  input = "one"\n}\noutput "one" {\n  value = 1\n}\n' },
    };
    const capsuleId = await installApplied(module);
    const running = await onFolder('state', 'pull', capsuleId, '--confirm', 'stopped');
    await harness.server.kill9();
    const dir = path.join(work, 'stopped');
    expect(await onFolder('export', 'stopped', dir, '--with-state', '--confirm', 'stopped')).toMatchObject({ code: 0 });
    expect(await onFolder('state', 'pull', capsuleId, '--confirm', 'stopped')).toEqual(running);
    expect((await onFolder('state', 'outputs', capsuleId)).out).toMatch(/^one +1$/m);
    expect(await onFolder('state', 'pull', 'nothing', '--confirm', 'nothing')).toMatchObject({ code: 2, out: '' });
    expect(await planExported(work, dir, module)).toEqual({ code: 0, text: expect.stringContaining('No changes') });
    expect(await onFolder('audit', 'verify')).toMatchObject({ code: 0 });
    await harness.server.restart();
    const trail = await onFolder('audit', 'list', '--limit', '9', '--json');
    const { events } = JSON.parse(trail.out) as { events: { action: string; targetId: string; metadata: object }[] };
    const uses = events.filter(({ action, targetId }) => targetId === capsuleId && /state_read|exported/.test(action));
    expect(uses.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['capsule.state_read', expect.objectContaining({ use: 'summary' })],
      ['capsule.state_read', expect.objectContaining({ use: 'text' })],
      ['capsule.exported', expect.objectContaining({ withState: true })],
      ['capsule.state_read', expect.objectContaining({ use: 'text' })],
    ]);
    expect((await planAgain(harness, capsuleId)).summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });
});
