import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  applied,
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  fileOf,
  leftBy,
  outputOf,
  required,
  viewOf,
} from '../../../e2e/fixtures/credential-bench.ts';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { thing } from '../../../e2e/fixtures/modules.ts';
import { awaitRecord, describeRun, outcomeIn, recordsOf, terraform, tofu } from '../../test/runner/capsule.ts';
import type { ToolIdentity } from '../drivers/tofu/index.ts';
import type { ExecutionSpec } from './contract/execution-spec.ts';

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());

const whoami = 'data "fake_whoami" "me" {\n}\noutput "who" {\n  value = data.fake_whoami.me\n}\n';

type Runner = { tool: ToolIdentity; sandbox: 'bwrap' | 'none' };
const someRunners: Runner[] = [
  { tool: tofu, sandbox: 'bwrap' },
  { tool: terraform, sandbox: 'none' },
];
const runners = depth<Runner[]>({ quick: someRunners, deep: [...someRunners, { tool: tofu, sandbox: 'none' }] });

describe.each(runners)('with $tool.name, sandbox $sandbox', ({ tool, sandbox }) => {
  test('two aliases of a provider work with two accounts in one Run, and neither secret is in what the Runs leave', async () => {
    const [first, second] = [bench.newToken('first'), bench.newToken('second')];
    const capsule = bench.capsuleOf({
      tool,
      sandbox,
      main: `${required('configuration_aliases = [fake.other]')}provider "fake" {\n  region = "own"\n}\n${thing('a')}${thing('b', 'provider = fake.other')}`,
    });
    const config = { server: bench.accounts.url, region: 'given' };
    const credentials = credentialsOf({
      providers: [
        { localName: 'fake', arguments: { token: first }, config },
        { localName: 'fake', alias: 'other', arguments: { token: second }, config },
      ],
      secrets: [first, second],
    });
    const providers = [{ name: 'fake', arguments: ['region'], forEach: false }];
    const { apply } = await applied(capsule, { credentials, ...viewOf(providers, ['other']) });
    expect(bench.callsOf(first)).toEqual(expect.arrayContaining(['first configure', 'first create a']));
    expect(bench.callsOf(second)).toEqual(expect.arrayContaining(['second configure', 'second create b']));
    expect(
      [...bench.callsOf(first), ...bench.callsOf(second)].filter((call) => /first create b|second create a/.test(call)),
    ).toEqual([]);
    expect(bench.findTokens(capsule, [first, second])).toEqual([]);
    expect(apply.outcome.succeeded).toBe(true);
  });

  test('a file exists during plan and apply, at the path in its variable, and is removed after each', async () => {
    const token = bench.newToken('by-file');
    const capsule = bench.capsuleOf({
      tool,
      sandbox,
      main: `${required()}${whoami}${thing('a', 'tags = { server = "x" }')}`,
    });
    const credentials = credentialsOf({
      env: { FAKE_SERVER: bench.accounts.url },
      files: [fileOf(token), fileOf('second file', { path: 'other', envName: 'OTHER_FILE', mode: 0o400 })],
      secrets: [token],
    });
    const plan = await capsule.plan({ credentials });
    expect(leftBy(capsule)).toEqual([]);
    await capsule.apply(plan, { credentials });
    expect(bench.callsOf(token)).toContain('by-file create a');
    expect(leftBy(capsule)).toEqual([]);
    expect(bench.findTokens(capsule, [token])).toEqual([]);
    expect(outputOf(capsule, 'who')).toMatchObject({ account: 'by-file' });
  });

  test('only plan and apply get environment and files; init and show get none', async () => {
    const secret = `env-${randomBytes(12).toString('hex')}`;
    const capsule = bench.capsuleOf({
      tool: recordingTool(tool, sandbox),
      sandbox,
      main: 'resource "terraform_data" "a" {}\n',
    });
    const credentials = credentialsOf({
      env: { SOME_TOKEN: secret, LD_PRELOAD: '/evil.so', TF_LOG: 'trace' },
      files: [fileOf('content', { envName: 'KEY_FILE' })],
      secrets: [secret],
    });
    await applied(capsule, { credentials });
    const seen = Object.fromEntries(
      ['init', 'plan', 'show', 'apply'].map((command) => {
        const text = readFileSync(path.join(capsule.dir, 'tree', `seen-${command}`), 'utf8');
        return [command, [text.includes(secret), /^KEY_FILE=\S+$/m.test(text), text.includes('THE FILE: content')]];
      }),
    );
    expect(seen).toEqual({
      init: [false, false, false],
      plan: [true, true, true],
      show: [false, false, false],
      apply: [true, true, true],
    });
    const environment = readFileSync(path.join(capsule.dir, 'tree', 'seen-plan'), 'utf8');
    expect(environment).not.toMatch(/LD_PRELOAD|TF_LOG/);
    rmSync(path.join(capsule.dir, 'tree'), { recursive: true });
    expect(bench.findTokens(capsule, [secret])).toEqual([]);
  });
});

/** The tool in a shell script that records what each command receives. */
function recordingTool(tool: ExecutionSpec['tool'], sandbox: 'bwrap' | 'none'): ExecutionSpec['tool'] {
  const store = path.join(bench.dir, 'providers');
  mkdirSync(store, { recursive: true });
  const name = `tool-${tool.name}`;
  if (!existsSync(path.join(store, name))) copyFileSync(tool.path, path.join(store, name));
  const real = sandbox === 'bwrap' ? `/svc/providers/${name}` : path.join(store, name);
  const file = path.join(bench.dir, `record-${tool.name}-${sandbox}`);
  const recordCommand = `{ env; test -n "$KEY_FILE" && printf 'THE FILE: ' && cat "$KEY_FILE"; } >"seen-$1"`;
  writeFileSync(file, `#!/bin/sh\n${recordCommand}\nexec '${real}' "$@"\n`);
  chmodSync(file, 0o755);
  return { ...tool, path: file };
}

describe('the provider blocks of a module', () => {
  const createSpecOptions = (token: string): Partial<ExecutionSpec> => ({
    credentials: credentialsOf({
      providers: [
        {
          localName: 'fake',
          arguments: { token },
          config: { server: bench.accounts.url, region: 'given', proxy: [{ host: 'ours' }] },
        },
      ],
      secrets: [token],
    }),
  });

  test('get a block when there is none, nested blocks included', async () => {
    const token = bench.newToken('none');
    const capsule = bench.capsuleOf({ main: required() + whoami });
    await applied(capsule, createSpecOptions(token));
    expect(outputOf(capsule, 'who')).toMatchObject({ account: 'none', region: 'given', proxies: ['ours'] });
  });

  test('keep what they set themselves: arguments, and nested blocks of a type as a whole', async () => {
    const token = bench.newToken('own');
    const block = 'provider "fake" {\n  region = "own"\n  proxy {\n    host = "theirs"\n  }\n}\n';
    const capsule = bench.capsuleOf({ main: required() + block + whoami });
    const view = viewOf([{ name: 'fake', arguments: ['proxy', 'region'], forEach: false }]);
    await applied(capsule, { ...createSpecOptions(token), ...view });
    expect(outputOf(capsule, 'who')).toMatchObject({ account: 'own', region: 'own', proxies: ['theirs'] });
  });

  test('that set a secret themselves get none of the Connection, and the plan says so', async () => {
    const [token, own] = [bench.newToken('ours'), bench.newToken('theirs')];
    const capsule = bench.capsuleOf({ main: `${required()}provider "fake" {\n  token = "${own}"\n}\n${whoami}` });
    const view = viewOf([{ name: 'fake', arguments: ['token'], forEach: false }]);
    const { plan } = await applied(capsule, { ...createSpecOptions(token), ...view });
    expect(outputOf(capsule, 'who')).toMatchObject({ account: 'theirs', region: 'given' });
    expect(bench.callsOf(token)).toEqual([]);
    const warning = 'The module sets token of the provider fake itself';
    expect(recordsOf(plan.spec.runDir)).toContainEqual(
      expect.objectContaining({ t: 'diagnostic', severity: 'warning', message: expect.stringContaining(warning) }),
    );
    expect(readFileSync(path.join(plan.spec.runDir, 'plan.json'), 'utf8')).toContain(warning);
  });

  test('with for_each are left as they are, and the plan says so', async () => {
    const token = bench.newToken('each');
    const block = `provider "fake" {\n  alias    = "by"\n  for_each = toset(["x"])\n  server   = "${bench.accounts.url}"\n  token    = "${token}"\n}\n`;
    const main = `${required()}${block}data "fake_whoami" "me" {\n  provider = fake.by["x"]\n}\n`;
    const capsule = bench.capsuleOf({ main });
    const view = viewOf([{ name: 'fake', alias: 'by', arguments: ['server', 'token'], forEach: true }]);
    const credentials = credentialsOf({
      providers: [{ localName: 'fake', alias: 'by', arguments: { token: 'unused-secret' }, config: { region: 'x' } }],
      secrets: ['unused-secret'],
    });
    const { spec } = await capsule.plan({ credentials, ...view });
    expect(describeRun(spec.runDir)).toContain('The provider block fake.by has for_each');
  });

  test('cannot be given secrets by a tool that would keep them in its plan', async () => {
    const capsule = bench.capsuleOf({ main: required() + whoami, tool: { ...terraform, version: '1.9.8' } });
    const spec = capsule.spec('plan', createSpecOptions('some-secret-token'));
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed', phase: 'init' });
    expect(recordsOf(spec.runDir).some((record) => record.t === 'spawned')).toBe(false);
  });
});

describe('Runs beside and after each other', () => {
  test('two at the same time never see the credentials of the other', { timeout: 180_000 }, async () => {
    const snoop =
      'env; ls -lR /svc/credentials; find / -xdev -type f -name "key*" 2>/dev/null | grep -v /proc; cat /svc/credentials/fake/key; cat /dev/shm/*/* 2>/dev/null; cat /proc/[0-9]*/environ 2>/dev/null; true';
    const main = `${required()}${thing('a', 'gate = "open"')}resource "terraform_data" "snoop" {\n  provisioner "local-exec" {\n    command = <<-SH\n      (${snoop}) >seen 2>&1\n    SH\n  }\n}\n`;
    const both = ['left', 'right'].map((account) => {
      const token = bench.newToken(account);
      const env = { FAKE_SERVER: bench.accounts.url, [`ONLY_${account.toUpperCase()}`]: `env-of-${account}` };
      const change = { credentials: credentialsOf({ env, files: [fileOf(token)], secrets: [token] }) };
      return { account, token, change, capsule: bench.capsuleOf({ main }) };
    });
    const runs = await Promise.all(
      both.map(async ({ capsule, change }) => {
        const spec = capsule.applySpec(await capsule.plan(change), change);
        await bench.runner.start(spec);
        await awaitRecord(bench.runner, spec.runDir, (r) => r.t === 'resource' && r.address === 'fake_thing.a');
        await awaitRecord(
          bench.runner,
          spec.runDir,
          (r) => r.t === 'resource' && r.address === 'terraform_data.snoop' && r.state === 'completed',
        );
        return spec;
      }),
    );
    // Both are running now.
    for (const { capsule } of both) writeFileSync(path.join(capsule.dir, 'tree', 'open'), '');
    for (const spec of runs) {
      await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
      expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    }
    for (const [index, { account, token, capsule }] of both.entries()) {
      const other = both[1 - index] as (typeof both)[number];
      const seen = readFileSync(path.join(capsule.dir, 'tree', 'seen'), 'utf8');
      expect(seen).toContain(token);
      expect(seen).toContain(`env-of-${account}`);
      expect(seen).not.toContain(other.token);
      expect(seen).not.toContain(`env-of-${other.account}`);
      expect(new Set(bench.accounts.calls.filter((call) => call.token === token).map((call) => call.account))).toEqual(
        new Set([account]),
      );
      rmSync(path.join(capsule.dir, 'tree', 'seen'));
      expect(bench.findTokens(capsule, [token, other.token])).toEqual([]);
    }
  });
});
