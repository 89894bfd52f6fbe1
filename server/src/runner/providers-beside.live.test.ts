import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  fileOf,
  outputOf,
  required,
  viewOf,
} from '../../../e2e/fixtures/credential-bench.ts';
import { leftovers } from '../../../e2e/fixtures/leftovers.ts';
import { insertInto, onlyBeside, packageIn, programIn } from '../../../e2e/fixtures/provider/programs.ts';
import { type Capsule, describeRun, outcomeIn, recordsOf } from '../../test/runner/capsule.ts';
import { findCgroupLocation } from '../os/cgroup-location.ts';
import type { ExecutionSpec } from './contract/execution-spec.ts';

/** The providers of a plan run beside the tool, each in sandboxes of its own. */

let bench: CredentialBench;
let restore = () => {};
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterEach(() => {
  restore();
  restore = () => {};
});
afterAll(() => bench.end());

const hosts = ['registry.opentofu.org', 'registry.terraform.io'];
const programs = () => hosts.map((host) => programIn(bench.mirrorDir, host));
function insert(line: string): void {
  restore = insertInto(programs(), onlyBeside(line));
}

const whoami = (name: string, more = '') => `data "fake_whoami" "${name}" {\n  ${more}\n}\n`;
const output = (name: string) => `output "${name}" {\n  value = data.fake_whoami.${name}\n}\n`;

/** A change of the specification with a credential of an account, in the environment. */
function credentialsFor(account: string) {
  const token = bench.newToken(account);
  const env = { FAKE_TOKEN: token, FAKE_SERVER: bench.accounts.url };
  return { token, credentials: credentialsOf({ env, secrets: [token] }) };
}

const commandsOf = (runDir: string) =>
  recordsOf(runDir).flatMap((record) => (record.t === 'spawned' ? [record.command] : []));
const readLog = ({ runDir }: ExecutionSpec) =>
  recordsOf(runDir)
    .flatMap((record) => (record.t === 'log' ? [record.text] : []))
    .join('\n');

type Recorded = { providers?: readonly { identity: { pid: number } }[]; tool: { identity: { pid: number } } };

/** Processes of the providers of a running plan, and of its tool. */
function pidsIn(capsule: Capsule): { providers: number[]; tool: number } {
  const { providers = [], tool } = JSON.parse(readFileSync(path.join(capsule.dir, 'owner.json'), 'utf8')) as Recorded;
  return { providers: providers.map(({ identity }) => identity.pid), tool: tool.identity.pid };
}

/** Starts a plan whose provider waits in a call. */
async function startHeld(capsule: Capsule): Promise<ExecutionSpec> {
  const { token, credentials } = credentialsFor('held');
  const spec = capsule.spec('plan', { credentials });
  await bench.runner.start(spec);
  await expect.poll(() => bench.callsOf(token), { timeout: 30_000 }).toContain('held configure');
  // A cancel before that would keep the tool from calling the provider.
  const isReading = () => recordsOf(spec.runDir).some((record) => record.t === 'resource' && record.action === 'read');
  await expect.poll(isReading, { timeout: 30_000 }).toBe(true);
  return spec;
}

async function endOf(spec: ExecutionSpec) {
  expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  return outcomeIn(spec.runDir);
}

const held = () => bench.capsuleOf({ main: required() + whoami('me', 'gate = "open"') });

test('two configurations of a provider answer with their own accounts, in plan and apply', async () => {
  const [first, second] = [bench.newToken('first'), bench.newToken('second')];
  const alias = required('configuration_aliases = [fake.other]');
  const many = [1, 2, 3, 4].flatMap((n) => [whoami(`a${n}`), whoami(`b${n}`, 'provider = fake.other')]).join('');
  const capsule = bench.capsuleOf({ main: `${alias}${many}${output('a1')}${output('b1')}` });
  const config = { server: bench.accounts.url };
  const credentials = credentialsOf({
    providers: [
      { localName: 'fake', arguments: { token: first }, config },
      { localName: 'fake', alias: 'other', arguments: { token: second }, config },
    ],
    secrets: [first, second],
  });
  const change = { credentials, ...viewOf([], ['other']) };
  insert('echo started >>/svc/tree/starts');
  const plan = await capsule.plan(change);
  expect(readFileSync(path.join(capsule.dir, 'tree/starts'), 'utf8')).toContain('started');
  const expected = (account: string) => [`${account} configure`, ...Array(4).fill(`${account} whoami`)];
  expect(bench.callsOf(first).sort()).toEqual(expected('first'));
  expect(bench.callsOf(second).sort()).toEqual(expected('second'));
  await capsule.apply(plan, change);
  expect([outputOf(capsule, 'a1'), outputOf(capsule, 'b1')]).toMatchObject([
    { account: 'first' },
    { account: 'second' },
  ]);
  expect(plan.outcome.isShownByProviders).toBeUndefined();
});

test('a provider sees the module, its credentials and its package, and nothing of the plan or of others', async () => {
  const token = bench.newToken('seen');
  const second = required().replace(
    '    fake = {',
    '    other = {\n      source = "registry.terraform.io/test/fake"\n    }\n    fake = {',
  );
  const capsule = bench.capsuleOf({
    main: `${second}variable "given" {\n}\n${whoami('one')}${whoami('two', 'provider = other')}`,
    variables: { given: 'value-of-a-variable' },
  });
  const credentials = credentialsOf({
    env: { FAKE_SERVER: bench.accounts.url },
    files: [fileOf(token)],
    secrets: [token],
  });
  insert(
    '{ ls -a /svc; echo listed; env; cat "$FAKE_TOKEN_FILE"; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ; find /svc /home /tmp /dev/shm /run -xdev; grep -rs value-of-a /svc /home /tmp /dev/shm; ls /proc/[0-9]*/fd; } 2>&1 | tr "\\0" "\\n" >"/svc/tree/seen-$(head -c 8 /proc/sys/kernel/random/uuid)"',
  );
  const { outcome } = await capsule.plan({ credentials });
  expect(outcome.isShownByProviders).toBeUndefined();
  const tree = path.join(capsule.dir, 'tree');
  const seen = readdirSync(tree)
    .filter((name) => name.startsWith('seen-'))
    .map((name) => readFileSync(path.join(tree, name), 'utf8'));
  expect(seen.length).toBeGreaterThanOrEqual(2);
  for (const text of seen) {
    const folders = text.slice(0, text.indexOf('listed')).trim().split('\n');
    expect(folders).toEqual(['.', '..', 'credentials', 'provider', 'tmp', 'tree']);
    expect(text).toContain(token);
    expect(text).toContain(`FAKE_SERVER=${bench.accounts.url}`);
    expect(text).not.toMatch(
      /TF_ENCRYPTION|TF_REATTACH|TF_DATA_DIR|TF_CLI_CONFIG|key\.json|vars\.tfvars|terraform\.tfstate/,
    );
    expect(text).not.toContain('value-of-a-variable');
    expect(text).not.toContain('/svc/tool');
    expect(text.match(/terraform-provider-fake_v1\.0\.0$/gm)?.length).toBeGreaterThan(0);
  }
  rmSync(tree, { recursive: true });
  expect(bench.findTokens(capsule, [token])).toEqual([]);
});

describe('a provider that', () => {
  const wait = 'sleep 300; exit';
  const say = (address: string, protocol = '6', certificate = '') =>
    `echo "1|${protocol}|unix|${address}|grpc|${certificate}"; ${wait}`;
  const noAddress = 'it did not print its address as a provider does';
  const noAnswer = 'nothing answers at the address that it printed';
  test.each([
    ['ends at once', 'echo reason-of-the-end >&2; exit 3', 'it ended at once'],
    ['prints an address outside of its folder', say('/svc/tree/s'), noAddress],
    ['prints an address above its folder', say('$TMPDIR/../tree/s'), noAddress],
    ['prints a link to another socket', `ln -s /svc/tree/s $TMPDIR/s; ${say('$TMPDIR/s')}`, noAnswer],
    ['prints the address of a file', `: >$TMPDIR/s; ${say('$TMPDIR/s')}`, noAnswer],
    ['prints another protocol', say('$TMPDIR/s', '5'), noAddress],
    ['prints a certificate', say('$TMPDIR/s', '6', 'AAAA'), noAddress],
    ['floods its output without an address', 'head -c 3000000 /dev/zero; exit 1', 'it ended at once'],
  ])('%s fails the plan, and the next one succeeds', async (_what, line, reason) => {
    const { credentials } = credentialsFor('failing');
    const capsule = bench.capsuleOf({ main: required() + whoami('me') });
    insert(line);
    const spec = capsule.spec('plan', { credentials });
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed', phase: 'plan' });
    expect(readLog(spec)).toContain(`The provider registry.opentofu.org/test/fake did not start: ${reason}`);
    if (line.includes('reason-of-the-end')) expect(readLog(spec)).toContain('reason-of-the-end');
    expect(leftovers(capsule.dir)).toEqual([]);
    restore();
    restore = () => {};
    expect((await capsule.plan({ credentials })).outcome.kind).toBe('plan');
  });

  test('floods its errors is read to the end', async () => {
    const { credentials } = credentialsFor('loud');
    const capsule = bench.capsuleOf({ main: required() + whoami('me') });
    insert('head -c 20000000 /dev/zero >&2');
    expect((await capsule.plan({ credentials })).outcome.kind).toBe('plan');
  });

  test('dies in a call fails the plan, and the next one succeeds', async () => {
    const capsule = held();
    const spec = await startHeld(capsule);
    for (const pid of pidsIn(capsule).providers) process.kill(pid, 'SIGKILL');
    expect(await endOf(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed', phase: 'plan' });
    expect(readLog(spec)).toContain('The provider registry.opentofu.org/test/fake ended while it was used.');
    expect(leftovers(capsule.dir)).toEqual([]);
    const { credentials } = credentialsFor('next');
    const next = capsule.spec('plan', { credentials });
    await bench.runner.start(next);
    await expect.poll(() => existsSync(path.join(capsule.dir, 'tree'))).toBe(true);
    const open = () => writeFileSync(path.join(capsule.dir, 'tree/open'), '');
    await expect.poll(() => commandsOf(next.runDir), { timeout: 30_000 }).toContain('plan');
    open();
    expect(await endOf(next)).toMatchObject({ kind: 'plan' });
  });
});

test('a provider is in the control group of the tool, and a cancel reaches its call', async () => {
  const capsule = held();
  const spec = await startHeld(capsule);
  const { providers, tool } = pidsIn(capsule);
  const groupOf = (pid: number) => readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  expect(providers.length).toBeGreaterThan(0);
  for (const pid of providers) expect(groupOf(pid)).toBe(groupOf(tool));
  bench.runner.cancel(spec.runDir);
  expect(await endOf(spec)).toMatchObject({ kind: 'failed', errorCode: 'cancelled' });
  expect(describeRun(spec.runDir)).toContain('The tool asked the provider to stop');
  expect(leftovers(capsule.dir)).toEqual([]);
});

test.runIf(findCgroupLocation() !== undefined)('a provider that takes too much memory fails the plan', async () => {
  const { credentials } = credentialsFor('greedy');
  const capsule = bench.capsuleOf({ main: required() + whoami('me') });
  insert('head -c 900m /dev/zero | tail');
  const base = capsule.spec('plan');
  const spec = { ...base, credentials, limits: { ...base.limits, memoryBytes: 400 * 1_048_576 } };
  expect(await capsule.run(spec), describeRun(spec.runDir)).toMatchObject({
    kind: 'failed',
    phase: 'plan',
    message: expect.stringContaining('memory'),
  });
  expect(leftovers(capsule.dir)).toEqual([]);
});

describe('a package that was changed after init', () => {
  test('in the mirror does not run', async () => {
    const { credentials } = credentialsFor('changed');
    const capsule = bench.capsuleOf({ main: required() + whoami('me') });
    await capsule.plan({ credentials });
    insert('echo ran >/svc/tree/altered');
    const spec = capsule.spec('plan', { credentials });
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'init_failed' });
    expect(existsSync(path.join(capsule.dir, 'tree/altered'))).toBe(false);
  });

  test('by its link does not run', async () => {
    const { credentials } = credentialsFor('linked');
    const capsule = bench.capsuleOf({ main: required() + whoami('me') });
    await capsule.plan({ credentials });
    const altered = path.join(bench.mirrorDir, 'altered');
    mkdirSync(altered, { recursive: true });
    cpSync(packageIn(bench.mirrorDir), altered, { recursive: true });
    insertInto([path.join(altered, path.basename(programIn(bench.mirrorDir)))], 'echo ran >/svc/tree/altered');
    const versions = path.join(capsule.dir, 'data/providers/registry.opentofu.org/test/fake/1.0.0');
    const link = path.join(versions, readdirSync(versions)[0] ?? '');
    rmSync(link);
    symlinkSync('/svc/mirror/altered', link);
    const spec = capsule.spec('plan', { credentials });
    const outcome = await capsule.run(spec);
    expect(commandsOf(spec.runDir)).toContain('init');
    expect(existsSync(path.join(capsule.dir, 'tree/altered')), JSON.stringify(outcome)).toBe(false);
    rmSync(altered, { recursive: true });
  });
});
