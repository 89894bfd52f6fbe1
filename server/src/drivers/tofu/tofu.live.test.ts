import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeArchive } from '#server/drivers/archive/index';
import * as tofu from './index.ts';

/** Runs the real tool in a private folder, without a sandbox: these tests verify what it reads and writes. */
const keyA = Buffer.alloc(32, 7).toString('base64');
const keyB = Buffer.alloc(32, 9).toString('base64');
const cacheDir = tofu.toolCacheDir(process.env, os.homedir());
const mirrorDir = path.join(cacheDir, 'providers');

let tool: tofu.LocatedTool;
let root: string;
beforeAll(async () => {
  const detectedTool = await tofu.findTool({
    dataDir: '/nonexistent',
    cacheDir,
    path: process.env.PATH ?? '',
    run: (argv) => exec(argv, {}),
  });
  if (detectedTool?.name !== 'tofu') throw new Error('These tests need OpenTofu: run resources/tofu/build.sh first.');
  tool = detectedTool;
});
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'tofu-live-'));
  fs.mkdirSync(at('home'));
  fs.mkdirSync(at('state'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const at = (...parts: string[]) => path.join(root, ...parts);
const statePath = () => at('state', 'terraform.tfstate');
const planPath = () => at('state', 'plan');

type Result = { code: number; stdout: string; stderr: string };

function exec(argv: readonly string[], options: { cwd?: string; env?: Record<string, string> }): Promise<Result> {
  return new Promise((resolve) => {
    execFile(
      argv[0] as string,
      argv.slice(1),
      { ...options, env: options.env ?? {}, maxBuffer: 64 << 20 },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
  });
}

type Project = {
  moduleDir: string;
  run: (argv: readonly string[]) => Promise<{ code: number; events: tofu.StreamEvent[]; stdout: string }>;
};
type Sealing = { encryptionKey: string; decryptionKey: string; remoteState?: tofu.RemoteStateTargets };

/** Writes one module as a Run does; `sealing` null leaves plan and state unsealed. */
function project(
  files: { readonly [name: string]: string },
  sealing: Sealing | null,
  over: { config?: string; lock?: string | null; tool?: tofu.ToolIdentity } = {},
): Project {
  const running = over.tool ?? tool;
  const entries = Object.entries(files).map(([name, text]) => ({
    path: name,
    executable: false,
    bytes: Buffer.from(text),
  }));
  const archivePath = writeArchive({ dir: at('archives'), entries }).path;
  const { fileNames } = tofu.readModuleFolder({ archivePath, modulePath: '.' });
  const generated = tofu.generateFiles({ moduleFileNames: fileNames, tool: running.name, statePath: statePath() });
  const { moduleDir } = tofu.prepareTree({
    archivePath,
    treeDir: at('tree'),
    modulePath: '.',
    generated,
    lock: over.lock ?? null,
  });
  fs.writeFileSync(at('cli.tfrc'), over.config ?? tofu.cliConfig({ storeDir: at('empty'), network: false }));
  fs.mkdirSync(at('empty'), { recursive: true });
  const env: Record<string, string> = {
    HOME: at('home'),
    PATH: '/usr/bin:/bin',
    TF_CLI_CONFIG_FILE: at('cli.tfrc'),
    TF_DATA_DIR: at('data'),
    TF_IN_AUTOMATION: '1',
  };
  if (sealing !== null) {
    fs.writeFileSync(at('key.json'), tofu.keyAnswer(sealing));
    const names = tofu.encryptionNames(sealing.decryptionKey);
    const { remoteState } = sealing;
    env.TF_ENCRYPTION = tofu.encryptionConfig({
      names,
      command: ['/bin/cat', at('key.json')],
      ...(remoteState ? { remoteState } : {}),
    });
  }
  return {
    moduleDir,
    run: async (argv) => {
      const { code, stdout } = await exec([running.path, ...argv], { cwd: moduleDir, env });
      const events: tofu.StreamEvent[] = [];
      const parser = tofu.createStreamParser({ onEvent: (event) => events.push(event) });
      parser.write(Buffer.from(stdout));
      parser.end();
      return { code, events, stdout };
    },
  };
}

async function planAndApply({ run }: Project): Promise<void> {
  expect(await run(tofu.initArgs({ tool: tool.name }))).toMatchObject({ code: 0 });
  expect(await run(tofu.planArgs({ out: planPath() }))).toMatchObject({ code: 0 });
  expect(await run(tofu.applyArgs({ planFile: planPath() }))).toMatchObject({ code: 0 });
}

const summaryOf = (events: readonly tofu.StreamEvent[]) => events.find((event) => event.kind === 'summary');
const data =
  'resource "terraform_data" "a" {\n  input = "value-in-state"\n}\noutput "o" {\n  value = terraform_data.a.output\n}\n';
const same = { encryptionKey: keyA, decryptionKey: keyA };

describe('sealing, with the real tool', () => {
  it('opens what the tool sealed: the state and the plan', async () => {
    await planAndApply(project({ 'main.tf': data }, same));
    const sealed = fs.readFileSync(statePath());
    expect(tofu.isSealed(sealed)).toBe(true);
    expect(sealed.includes('value-in-state')).toBe(false);
    const state = tofu.readState(tofu.openSealed(sealed, keyA).toString('utf8'));
    expect(state).toMatchObject({
      toolVersion: tool.version,
      resourceCount: 1,
      outputs: { o: { value: 'value-in-state' } },
    });
    expect(JSON.parse(sealed.toString('utf8'))).toMatchObject({ lineage: state.lineage, serial: state.serial });
    expect(tofu.openSealed(fs.readFileSync(planPath()), keyA).subarray(0, 2).toString('latin1')).toBe('PK');
  });

  it('seals what the tool opens: the state and the plan', async () => {
    const module = project({ 'main.tf': data }, same);
    const names = tofu.encryptionNames(keyA);
    const empty = tofu.emptyState('3f0e3c1e-0000-4000-8000-000000000001', tool.version);
    fs.writeFileSync(statePath(), tofu.sealState(empty, keyA, names));
    await module.run(tofu.initArgs({ tool: tool.name }));
    await module.run(tofu.planArgs({ out: planPath() }));
    const plan = tofu.openSealed(fs.readFileSync(planPath()), keyA);
    fs.writeFileSync(planPath(), tofu.sealPlan(plan, keyA, names));
    const shown = await module.run(tofu.showArgs({ tool: tool.name, file: planPath() }));
    expect(tofu.projectPlan(shown.stdout, { secrets: [] }).summary).toEqual({ add: 1, change: 0, destroy: 0 });
    expect(await module.run(tofu.applyArgs({ planFile: planPath() }))).toMatchObject({ code: 0 });
    const applied = tofu.openSealed(fs.readFileSync(statePath()), keyA).toString('utf8');
    expect(tofu.readState(applied)).toMatchObject({
      lineage: '3f0e3c1e-0000-4000-8000-000000000001',
      serial: 1,
      resourceCount: 1,
    });
    fs.writeFileSync(statePath(), tofu.sealState(applied, keyA, names));
    const again = await module.run(tofu.planArgs({ out: planPath() }));
    expect(summaryOf(again.events)).toMatchObject({ add: 0, change: 0, destroy: 0 });
  });

  it('applies a plan of the recorded key and writes the state with the newest key', async () => {
    await planAndApply(project({ 'main.tf': data }, same));
    const files = { 'main.tf': data.replace('value-in', 'other-in') };
    const before = project(files, same);
    expect(await before.run(tofu.planArgs({ out: planPath() }))).toMatchObject({ code: 0 });
    const rotated = project(files, { encryptionKey: keyB, decryptionKey: keyA });
    expect(await rotated.run(tofu.applyArgs({ planFile: planPath() }))).toMatchObject({ code: 0 });
    expect(tofu.openSealed(fs.readFileSync(statePath()), keyB).toString('utf8')).toContain('other-in-state');
  });

  it('refuses a state in clear', async () => {
    const module = project({ 'main.tf': data }, same);
    fs.writeFileSync(statePath(), tofu.emptyState('3f0e3c1e-0000-4000-8000-000000000001', tool.version));
    const { code } = await module.run(tofu.initArgs({ tool: tool.name }));
    const planned = code === 0 ? (await module.run(tofu.planArgs({ out: planPath() }))).code : code;
    expect(planned).not.toBe(0);
  });
});

describe('a hostile module', () => {
  const evil = (file: string) => `terraform {
  encryption {
    key_provider "external" "evil" {
      command = ["/bin/sh", "-c", "touch ${file}; cat ${at('key.json')}"]
    }
    method "aes_gcm" "evil" {
      keys = key_provider.external.evil
    }
    state {
      method = method.aes_gcm.evil
      fallback {
        method = method.aes_gcm.evil
      }
    }
    plan {
      method = method.aes_gcm.evil
      fallback {
        method = method.aes_gcm.evil
      }
    }
    remote_state_data_sources {
      default {
        method = method.aes_gcm.evil
        fallback {
          method = method.aes_gcm.evil
        }
      }
    }
  }
}
`;

  it('cannot have its own key program started or seal with its own method', async () => {
    const remoteState = { default: true, targets: [] };
    const source = `data "terraform_remote_state" "x" {\n  backend = "local"\n  config = {\n    path = "${statePath()}"\n  }\n  defaults = {}\n}\n`;
    await planAndApply(project({ 'main.tf': data }, same));
    await planAndApply(project({ 'main.tf': data + evil(at('started')) + source }, { ...same, remoteState }));
    expect(fs.existsSync(at('started'))).toBe(false);
    expect(() => tofu.openSealed(fs.readFileSync(statePath()), keyA)).not.toThrow();
  });

  it('cannot move the state, by any backend, name or override of its own', async () => {
    const elsewhere = `terraform {\n  backend "local" {\n    path = "${path.join(os.tmpdir(), 'never-written.tfstate')}"\n  }\n}\n`;
    const json = JSON.stringify({ terraform: { backend: { local: { path: '/never.tfstate' } } } });
    const files = {
      'main.tf': data,
      'backend.tf': 'terraform {\n  backend "s3" {\n    bucket = "b"\n  }\n}\n',
      'zz_svc_override.tf.json': json,
      'zz_svc_override.tofu.json': json,
      'zzz_svc_override.tf': elsewhere,
      'zzzz_zzz_override.tofu': elsewhere,
      'override.tf': elsewhere,
    };
    await planAndApply(project(files, same));
    expect(fs.existsSync(statePath())).toBe(true);
    const backend = JSON.parse(fs.readFileSync(at('data', 'terraform.tfstate'), 'utf8')).backend;
    expect(backend).toMatchObject({ type: 'local', config: { path: statePath() } });
  });

  it('cannot have a cloud block evaluated either', async () => {
    await planAndApply(
      project(
        {
          'main.tf': `${data}terraform {\n  cloud {\n    organization = "o"\n    workspaces {\n      name = "w"\n    }\n  }\n}\n`,
        },
        same,
      ),
    );
    expect(fs.existsSync(statePath())).toBe(true);
  });
});

describe('plans of the real tool', () => {
  it('are counted as its own stream counts them', async () => {
    const base = (size: number) => `resource "terraform_data" "n" {
  count            = ${size}
  triggers_replace = ${size}
}
resource "terraform_data" "s" {
  input = sensitive("never-shown-${size}")
}
`;
    await planAndApply(project({ 'main.tf': base(3) }, same));
    const module = project({ 'main.tf': base(2) }, same);
    const planned = await module.run(tofu.planArgs({ out: planPath() }));
    const shown = await module.run(tofu.showArgs({ tool: tool.name, file: planPath() }));
    const projection = tofu.projectPlan(shown.stdout, { secrets: [] });
    expect(summaryOf(planned.events)).toMatchObject(projection.summary);
    expect(projection.summary).toEqual({ add: 2, change: 1, destroy: 3 });
    expect(shown.stdout).toContain('never-shown-2');
    expect(JSON.stringify(projection)).not.toContain('never-shown');
  });
});

describe('terraform, if installed', () => {
  it('is planned and applied in clear, and its plan and state are sealed by us', async ({ skip }) => {
    const folders = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'terraform'));
    const file = folders.find((candidate) => fs.existsSync(candidate));
    if (file === undefined) return skip('SKIPPED: no terraform on PATH');
    const detectedTool = await tofu.findTool({
      settingPath: file,
      dataDir: at(),
      cacheDir: at(),
      path: '',
      run: (argv) => exec(argv, {}),
    });
    const terraform = detectedTool as tofu.LocatedTool;
    expect(terraform).toMatchObject({ name: 'terraform', origin: 'setting' });
    const source = 'resource "terraform_data" "a" {\n  input = sensitive("never-shown")\n}\n';
    const module = project({ 'main.tf': source, 'backend.tf': 'terraform {\n  backend "s3" {}\n}\n' }, null, {
      tool: terraform,
    });
    expect(await module.run(tofu.initArgs({ tool: 'terraform' }))).toMatchObject({ code: 0 });
    const planned = await module.run(tofu.planArgs({ out: planPath() }));
    expect(planned.events[0]).toMatchObject({ kind: 'version', tool: 'terraform' });
    const shown = await module.run(tofu.showArgs({ tool: 'terraform', file: planPath() }));
    const projection = tofu.projectPlan(shown.stdout, { secrets: [] });
    expect(summaryOf(planned.events)).toMatchObject(projection.summary);
    expect(JSON.stringify(projection)).not.toContain('never-shown');
    const bytes = fs.readFileSync(planPath());
    const sealed = tofu.sealPlan(bytes, keyA, tofu.encryptionNames(keyA));
    fs.writeFileSync(planPath(), tofu.openSealed(sealed, keyA));
    expect(await module.run(tofu.applyArgs({ planFile: planPath() }))).toMatchObject({ code: 0 });
    expect(tofu.readState(fs.readFileSync(statePath(), 'utf8'))).toMatchObject({ resourceCount: 1 });
  });
});

const withProviders = fs.existsSync(path.join(mirrorDir, 'registry.opentofu.org')) ? describe : describe.skip;
if (withProviders === describe.skip)
  console.warn('SKIPPED: real providers are not built; run resources/tofu/providers/build.sh');

withProviders('the provider store, with real providers', () => {
  const main = `terraform {
  required_providers {
    time = {
      source = "hashicorp/time"
    }
  }
}
resource "time_sleep" "a" {
  create_duration = "0s"
}
`;

  it('is filled from a mirror once, then serves inits without network, by hashes the tool agrees with', async () => {
    const storeDir = at('store');
    const requirements = [{ address: 'registry.opentofu.org/hashicorp/time' }];
    const before = tofu.findMissing({ storeDir, tool: 'tofu', lock: null, requirements });
    expect(before.missing).toHaveLength(1);
    const emptyView = path.join(storeDir, tofu.writeView({ storeDir, packages: before.present }));
    const lacking = project({ 'main.tf': main }, same, {
      config: tofu.cliConfig({ storeDir: emptyView, network: false }),
    });
    const failed = await lacking.run(tofu.initArgs({ tool: 'tofu' }));
    expect(failed.code).not.toBe(0);
    expect(tofu.lacksProviders(failed.events.filter((event) => event.kind === 'diagnostic'))).toBe(true);

    const mirrorProviders = tofu.listMirror(mirrorDir);
    const config = tofu.cliConfig({ storeDir: emptyView, mirrorDir, mirrorProviders, network: true });
    const staging = project({ 'main.tf': main }, same, { config });
    expect(await staging.run(tofu.initArgs({ tool: 'tofu', modules: false }))).toMatchObject({ code: 0 });
    const lock = fs.readFileSync(path.join(staging.moduleDir, '.terraform.lock.hcl'), 'utf8');
    const filed = tofu.fileStaged({ stagingDir: at('data', 'providers'), storeDir });
    fs.rmSync(at('data'), { recursive: true });
    const [entry] = tofu.parseLock(lock);
    expect(filed.map((item) => item.h1)).toEqual(entry?.hashes.filter((hash) => hash.startsWith('h1:')));

    const { present, missing } = tofu.findMissing({ storeDir, tool: 'tofu', lock: tofu.parseLock(lock) });
    expect(missing).toEqual([]);
    const view = path.join(storeDir, tofu.writeView({ storeDir, packages: present }));
    const offlineProject = project({ 'main.tf': main }, same, {
      config: tofu.cliConfig({ storeDir: view, network: false }),
      lock,
    });
    expect(await offlineProject.run(tofu.initArgs({ tool: 'tofu', lockReadonly: true }))).toMatchObject({ code: 0 });
    expect(await offlineProject.run(tofu.planArgs({ out: planPath() }))).toMatchObject({ code: 0 });
    expect(await offlineProject.run(tofu.applyArgs({ planFile: planPath() }))).toMatchObject({ code: 0 });
    const link = at('data', 'providers', 'registry.opentofu.org/hashicorp/time/0.14.2', tofu.currentPlatform());
    expect(fs.readlinkSync(link)).toContain('/store/views/');
  });
});
