import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { isDeep } from '../../../e2e/fixtures/depth.ts';
import {
  awaitRecord,
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  outcomeIn,
  recordsOf,
  tofu,
} from '../../test/runner/capsule.ts';
import { answered, greetAt, greeting, outerAddresses, resolveAt } from '../../test/runner/listeners.ts';
import { during, readSimulationResult, type SimulationResult } from '../../test/runner/network-player.ts';
import { supervisorEntry } from '../../test/runner/supervisor-entry.ts';
import { findPrewarmedPid, letGo, toolIn } from '../../test/runner/waiting-tool.ts';
import { identityOf, isAlive } from '../os/process-identity.ts';
import { findSlirp } from '../os/slirp.ts';
import { runTool, spawnDetached } from '../os/spawn.ts';
import type { ExecutionSpec, Isolation, JournalRecord } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';
import { probeSandbox, type SandboxProbe } from './probe.ts';

const probe: SandboxProbe = await probeSandbox(tofu);
const { isolation } = probe;
const isRoot = process.getuid?.() === 0;
const [outer] = outerAddresses();
if (isolation === undefined)
  process.stderr.write(
    `network.live: skipped, slirp4netns ${findSlirp() === undefined ? 'is missing' : 'does not work here'}\n`,
  );

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

/** Script with which a module connects to the loopback of its host: `connect HOST PORT` prints the answer. */
const connect = `connect() { timeout 4 bash -c "exec 3<>/dev/tcp/$1/$2 && head -c 40 <&3" 2>/dev/null | sed "s|^|$1 |"; }\n`;
const loopbackByAnyName = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', 'localhost', '10.0.2.2', '10.0.2.3', '198.18.107.1', '198.18.107.2'],
  ...[
    '198.18.107.3',
    '198.18.107.100',
    '198.18.107.255',
    '255.255.255.255',
    '169.254.1.1',
    '::1',
    'fd00::2',
    'fd00::3',
  ],
  ...['::ffff:127.0.0.1', '::ffff:198.18.107.2', ...outerAddresses()],
];

/** A replacement for slirp4netns that records its process id before it becomes slirp4netns, or another given command. */
function noted(command = `exec ${isolation?.program} "$@"`): { isolation: Isolation; pids(): number[] } {
  const folder = mkdtempSync(path.join(bench.dir, 'slirp-'));
  const file = path.join(folder, 'slirp4netns');
  const log = path.join(folder, 'pids');
  writeFileSync(file, `#!/bin/sh\necho $$ >>${log}\n${command}\n`);
  chmodSync(file, 0o755);
  return {
    isolation: { program: file, hardening: isolation?.hardening ?? [] },
    pids: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : []),
  };
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/cmdline`) && identityOf(pid) !== undefined;

/** Plans and applies with an isolated network, and returns what the module printed. */
async function attack(script: string, own: Partial<ExecutionSpec>): Promise<string> {
  const capsule = bench.capsule({ sandbox: 'bwrap', files: during(script) });
  const spec = capsule.applySpec(await capsule.plan(own), own);
  const outcome = await capsule.run(spec);
  expect(outcome, describeRun(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
  return readFileSync(path.join(capsule.dir, 'tree/out'), 'utf8');
}

test.runIf(isolation !== undefined)('the probe says how the network is kept apart', () => {
  expect(probe).toMatchObject({ sandbox: 'bwrap', network: 'isolated' });
  expect(isolation?.program).toMatch(/^\/(?:usr\/(?:local\/)?)?bin\/slirp4netns$/);
});

describe.skipIf(probe.sandbox === 'none')('a command that needs no network', () => {
  /** The tool with a check of its network before each command; it is in the mirror, because nothing else is mounted. */
  async function lookingTool(port: number): Promise<Partial<ExecutionSpec>> {
    const mirrorDir = path.join(bench.dir, 'looking-mirror');
    mkdirSync(mirrorDir, { recursive: true });
    const copy = path.join(mirrorDir, 'tofu');
    try {
      linkSync(tofu.path, copy);
    } catch {
      copyFileSync(tofu.path, copy);
    }
    const file = path.join(bench.dir, 'looking-tool');
    const probeScript = `${connect}cat /proc/net/dev; connect 127.0.0.1 ${port}; connect ${outer ?? '127.0.0.1'} ${port}`;
    writeFileSync(file, `#!/bin/bash\n(${probeScript}) >>/svc/tree/seen-$1 2>&1\nexec /svc/mirror/tofu "$@"\n`);
    chmodSync(file, 0o755);
    const { storeDir } = bench.capsule({ sandbox: 'bwrap', files: {} }).spec('plan').providers;
    return { tool: { ...tofu, path: file }, providers: { storeDir, mirrorDir }, ...(isolation && { isolation }) };
  }

  test('sees only the loopback interface and reaches no host: init, show and get', async () => {
    const listener = await greetAt({ host: '0.0.0.0' });
    onTestFinished(listener.close);
    const change = await lookingTool(listener.port);
    const capsule = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': 'resource "terraform_data" "a" {}\n' } });
    await capsule.plan(change);
    const remote = 'terraform {\n  required_providers {\n    x = { source = "localhost:1/a/x" }\n  }\n}\n';
    const lacking = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': remote } });
    expect(await lacking.run(lacking.spec('plan', change))).toMatchObject({ kind: 'failed', errorCode: 'init_failed' });
    const seen = (of: Capsule, command: string) => readFileSync(path.join(of.dir, `tree/seen-${command}`), 'utf8');
    for (const text of [seen(capsule, 'init'), seen(capsule, 'show'), seen(lacking, 'get')]) {
      expect(text.match(/^\s*\S+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
      expect(text).not.toContain(greeting);
    }
    expect(seen(capsule, 'plan')).toMatch(isolation === undefined ? greeting : /^\s*tap0:/m);
  });
});

describe.skipIf(isolation === undefined)('a command with a network of its own', () => {
  const own = { ...(isolation && { isolation }) };

  test('reaches other addresses, and none of them reaches the loopback of the host, as a shared network does', async () => {
    const four = await greetAt({ host: '127.0.0.1' });
    const six = await greetAt({ host: '::1' }).catch(() => undefined);
    const hidden = `groundctl-test-${process.pid}`;
    const abstract = await greetAt({ path: `\0${hidden}` });
    onTestFinished(async () => {
      for (const listener of [four, six, abstract]) await listener?.close();
    });
    const sockets = `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un("\\0${hidden}")) and print "abstract ".<S>'\n`;
    const ports = [four.port, ...(six === undefined ? [] : [six.port])];
    const loopbackAttempts = loopbackByAnyName
      .flatMap((host) => ports.map((port) => `connect ${host} ${port} &\n`))
      .join('');
    const open = outer === undefined ? undefined : await greetAt({ host: outer });
    onTestFinished(async () => open?.close());
    const wayOut = open === undefined ? '' : `connect ${outer} ${open.port}\n`;
    const script = `${connect}${sockets}${loopbackAttempts}wait\n${wayOut}echo done\n`;
    const elsewhere = open === undefined ? '' : `${outer} ${greeting}\n`;
    expect(await attack(script, own)).toBe(`${elsewhere}done\n`);
    const shared = await attack(`${connect}${sockets}connect 127.0.0.1 ${four.port}\n`, {});
    expect(shared).toBe(`abstract ${greeting}\n127.0.0.1 ${greeting}\n`);
  });

  test('gains no wider access by actions on descriptors and processes, and leaves nothing', async () => {
    const listener = await greetAt({ host: '127.0.0.1' });
    onTestFinished(listener.close);
    const { isolation: watched, pids } = noted();
    const script = `${connect}
sleep 300 & setsid sleep 300 &
grep slirp /proc/net/unix
for comm in /proc/[0-9]*/comm; do grep -q slirp $comm && kill -9 $(echo $comm | grep -o '[0-9]*') && echo killed; done
(timeout 1 head -c 100 <&8) 2>/dev/null
for fd in /proc/self/fd/*; do n=\${fd##*/}; [ "$n" -gt 2 ] && { echo rubbish >&$n; eval "exec $n>&-"; } 2>/dev/null; done
for host in 127.0.0.1 198.18.107.2 10.0.2.2; do connect $host ${listener.port}; done
grep -c eth /proc/net/dev
echo done
`;
    // The shell has read the whole script before its descriptor is closed, and survives a write without a reader.
    expect(await attack(`all() {\ntrap '' PIPE\n${script}}\nall\n`, { isolation: watched })).toBe('0\ndone\n');
    expect(pids(), 'one process for the plan, one for the apply').toHaveLength(2);
    // A Run ends a moment before its network.
    await expect.poll(() => pids().filter(isRunning), { timeout: 30_000 }).toEqual([]);
  });
});

describe.skipIf(isolation === undefined)('an apply with a network of its own', () => {
  const isStart = (record: JournalRecord): boolean => record.t === 'resource' && record.state === 'started';

  test.skipIf(outer === undefined)('keeps it when server and supervisor are killed', async () => {
    const listener = await greetAt({ host: outer ?? '' });
    onTestFinished(listener.close);
    const { isolation: watched, pids } = noted();
    const script = `${connect}while [ ! -e go ]; do sleep 0.05; done; connect ${outer} ${listener.port}\n`;
    const capsule = bench.capsule({ sandbox: 'bwrap', files: during(script) });
    const spec = capsule.applySpec(await capsule.plan(), { isolation: watched });
    const server = await spawnDetached({
      file: process.execPath,
      argv: [path.join(repositoryRoot, 'server/test/runner/spec-starter.ts')],
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [input, output] = server.pipes;
    input?.end(JSON.stringify({ standbyDir: path.join(bench.dir, 'standby-killed'), spec }));
    await new Promise((resolve) => output?.once('data', resolve));
    await awaitRecord(bench.runner, spec.runDir, isStart);
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    const supervisor = readSupervisor(spec.runDir);
    process.kill(supervisor?.pid as number, 'SIGKILL');
    expect(pids().filter(isRunning)).toHaveLength(1);
    writeFileSync(path.join(capsule.dir, 'tree/go'), '');
    await expect.poll(() => supervisor !== undefined && isAlive(supervisor), { timeout: 30_000 }).toBe(false);
    expect(await capsule.run({ ...spec, mode: 'adopt' }), describeRun(spec.runDir)).toMatchObject({
      kind: 'apply',
      succeeded: true,
    });
    expect(readFileSync(path.join(capsule.dir, 'tree/out'), 'utf8')).toBe(`${outer} ${greeting}\n`);
    await expect.poll(() => pids().filter(isRunning), { timeout: 30_000 }).toEqual([]);
  });

  test('does not start when the network cannot be set up, and does not fall back to a shared one', async () => {
    const capsule = bench.capsule({ sandbox: 'bwrap', files: during('echo ran\n') });
    const plan = await capsule.plan();
    const broken = noted('exit 3');
    for (const [program, reason] of [
      [broken.isolation.program, 'exit code 3'],
      ['/nowhere/slirp4netns', 'ENOENT'],
    ] as const) {
      const spec = capsule.applySpec(plan, { isolation: { program, hardening: [] } });
      const outcome = await capsule.run(spec);
      expect(outcome, describeRun(spec.runDir)).toMatchObject({
        kind: 'failed',
        errorCode: 'tool_unavailable',
        phase: 'apply',
      });
      expect(outcome.kind === 'failed' && outcome.message).toMatch(/slirp4netns/);
      expect(outcome.kind === 'failed' && outcome.message).toContain(reason);
      expect(recordsOf(spec.runDir).filter((record) => record.t === 'spawned' && record.command === 'apply')).toEqual(
        [],
      );
    }
    expect(existsSync(path.join(capsule.dir, 'tree/out'))).toBe(false);
    expect(await capsule.run(capsule.spec('plan', { isolation: broken.isolation }))).toMatchObject({
      kind: 'failed',
      errorCode: 'tool_unavailable',
      phase: 'plan',
    });
    expect((await capsule.apply(plan)).outcome.succeeded).toBe(true);
  });

  test('does not start when its network ended before it', async () => {
    const capsule = bench.capsule({ sandbox: 'bwrap', files: during('echo ran\n') });
    // It reports that it is ready and ends, during the first init of the folder.
    const outcome = await capsule.run(capsule.spec('plan', { isolation: noted('printf 1 >&3').isolation }));
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'tool_unavailable', phase: 'plan' });
    expect(outcome.kind === 'failed' && outcome.message).toMatch(/ended before the command that needs it/);
  });

  test('does not start when its network ended while it was prewarmed', async () => {
    const capsule = bench.capsule({ sandbox: 'bwrap', files: during('echo ran\n') });
    // Without a recorded lock file nothing is prewarmed before init.
    capsule.lock = '';
    const watched = noted('printf 1 >&3; exec sleep 300');
    const tool = toolIn(bench.dir, 'cat "$TF_CLI_CONFIG_FILE"');
    const spec = capsule.spec('plan', { isolation: watched.isolation, tool: { ...tofu, path: tool } });
    await bench.runner.start(spec);
    const prewarmedPid = await findPrewarmedPid(spec.runDir);
    for (const pid of watched.pids()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => watched.pids().filter(isRunning), { timeout: 30_000 }).toEqual([]);
    letGo(capsule);
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
    const outcome = outcomeIn(spec.runDir);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      kind: 'failed',
      errorCode: 'tool_unavailable',
      phase: 'plan',
    });
    expect(isRunning(prewarmedPid)).toBe(false);
  });

  test.runIf(isDeep)(
    'is given up when slirp4netns does not get ready, and reported when it ends before the tool',
    async () => {
      const capsule = bench.capsule({
        sandbox: 'bwrap',
        files: during('while [ ! -e go ]; do sleep 0.05; done; echo ran\n'),
      });
      const plan = await capsule.plan();
      const silent = noted('exec sleep 300');
      expect(await capsule.run(capsule.applySpec(plan, { isolation: silent.isolation }))).toMatchObject({
        kind: 'failed',
        errorCode: 'tool_unavailable',
      });
      await expect.poll(() => silent.pids().filter(isRunning), { timeout: 30_000 }).toEqual([]);
      const watched = noted();
      const spec = capsule.applySpec(plan, { isolation: watched.isolation });
      await bench.runner.start(spec);
      await awaitRecord(bench.runner, spec.runDir, isStart);
      for (const pid of watched.pids()) process.kill(pid, 'SIGKILL');
      await awaitRecord(
        bench.runner,
        spec.runDir,
        (record) => record.t === 'log' && record.text.includes('slirp4netns ended'),
      );
      writeFileSync(path.join(capsule.dir, 'tree/go'), '');
      expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
      expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
    },
  );
});

/** Runs in its own mount namespace, so that system files can be replaced; requires root. */
async function playAs(who: 'root' | 'person', script: string, resolver?: string): Promise<SimulationResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'network-play-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const tool = path.join(folder, 'tofu');
  copyFileSync(tofu.path, tool);
  chmodSync(tool, 0o755);
  mkdirSync(path.join(folder, 'tmp'));
  chmodSync(path.join(folder, 'tmp'), 0o777);
  if (resolver !== undefined)
    writeFileSync(path.join(folder, 'resolv.conf'), `nameserver ${resolver}\noptions timeout:2\n`);
  const setUp = [
    // Some machines restrict the tun device to root; a desktop does not.
    `mknod ${folder}/tun c 10 200 && chmod 666 ${folder}/tun && mount --bind ${folder}/tun /dev/net/tun`,
    ...(resolver === undefined ? [] : [`mount --bind ${folder}/resolv.conf /etc/resolv.conf`]),
    `exec ${who === 'root' ? '' : 'setpriv --reuid=12345 --regid=12345 --clear-groups'} "$@"`,
  ];
  const player = path.join(repositoryRoot, 'server/test/runner/network-player.ts');
  const { code, stdout, stderr } = await runTool({
    file: '/usr/bin/unshare',
    argv: ['--mount', 'sh', '-c', setUp.join(' && '), 'sh', process.execPath, player, JSON.stringify({ tool, script })],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      TMPDIR: path.join(folder, 'tmp'),
      HOME: folder,
      GROUNDCTL_TEST_SUPERVISOR: supervisorEntry,
    },
    timeoutMs: 100_000,
  });
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return readSimulationResult(stdout);
}

describe.skipIf(isolation === undefined || !isRoot)('on a machine whose resolver is on loopback', () => {
  test.each(['root', 'person'] as const)(
    'names resolve for a %s, and nothing else of that address is reached',
    async (who) => {
      const host = `127.77.${process.pid % 250}.${who === 'root' ? 7 : 8}`;
      const resolver = await resolveAt(host);
      const listener = await greetAt({ host });
      onTestFinished(async () => {
        await resolver.close();
        await listener.close();
      });
      const script = `${connect}id -u\ngetent ahostsv4 some.name.example | grep -m1 -o '^[0-9.]*'\nfor h in ${host} 198.18.107.2 198.18.107.3; do connect $h ${listener.port}; done\n`;
      const { probe: probeResult, out } = await playAs(who, script, host);
      expect(probeResult, out).toMatchObject({ sandbox: 'bwrap', network: 'isolated' });
      expect(out).toBe(`${who === 'root' ? 0 : 12345}\n${answered}\n`);
    },
  );
});

test.runIf(probe.sandbox === 'bwrap' && isRoot)(
  'without a tun device the probe says that the network is shared',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'network-play-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = `import { probeSandbox } from '${path.join(import.meta.dirname, 'probe.ts')}'; console.log(JSON.stringify(await probeSandbox()));`;
    const { stdout, stderr } = await runTool({
      file: '/usr/bin/unshare',
      argv: [
        '--mount',
        'sh',
        '-c',
        'mount -t tmpfs none /dev/net && exec "$@"',
        'sh',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
      ],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TMPDIR: folder },
      timeoutMs: 100_000,
    });
    expect(JSON.parse(stdout || `"${stderr}"`)).toEqual({ sandbox: 'bwrap', network: 'shared' });
  },
);

test('nothing of slirp4netns that was started for these tests is left', async () => {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const left = names.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(bench.dir);
    } catch {
      return false;
    }
  });
  expect(left.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('slirp4netns'))).toEqual([]);
});
