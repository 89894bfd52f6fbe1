import { expect, test } from 'vitest';
import type { InstallProgress, ToolIdentity } from '#server/drivers/tofu/index';
import type { ToolInstall } from '#shared/execution/tool';
import { heldClock } from '../../../test/harness.ts';
import { createLog } from '../../kernel/log.ts';
import { createToolManager, type Host, type Insistence } from './tool-manager.ts';

/** A ToolManager whose installation progresses and ends under control of the test. */
function start() {
  const clock = heldClock();
  const { promise, resolve, reject } = Promise.withResolvers<ToolIdentity>();
  let progress: (progress: InstallProgress) => void = () => {};
  const toolManager = createToolManager({
    runner: { probe: async () => ({ sandbox: 'none' as const, network: 'none' as const }) },
    find: async () => undefined,
    installTool: (onProgress) => {
      progress = onProgress;
      return promise;
    },
    clock,
    log: createLog('silent'),
  });
  const receive = (receivedBytes: number) => progress({ step: 'download', receivedBytes });
  return { toolManager, clock, receive, resolve, reject };
}
const brief = ({ status, receivedBytes }: ToolInstall) => `${status} ${receivedBytes}`;

test('an installation is reported when it starts and ends, and its progress once a second', async () => {
  const { toolManager, clock, receive, resolve } = start();
  const notified: string[] = [];
  const ended = new Promise<void>((done) => {
    toolManager.listen((install) => {
      notified.push(brief(install));
      if (install.status !== 'running') done();
    });
  });
  const { id } = toolManager.install();
  for (const bytes of [1, 2]) receive(bytes);
  clock.advance(1_000);
  for (const bytes of [3, 4]) receive(bytes);
  expect(brief(toolManager.getInstall(id))).toBe('running 4');
  resolve({ name: 'tofu', version: '1.12.6', path: '/tofu' });
  await ended;
  expect(notified).toEqual(['running 0', 'running 3', 'succeeded 4']);
});

test('a failed installation is reported with its reason, and a listener that throws does not end it', async () => {
  const { toolManager, receive, reject } = start();
  toolManager.listen(({ status }) => {
    if (status === 'running') throw new Error('closed');
  });
  const ended = new Promise<ToolInstall>((done) => {
    toolManager.listen((install) => {
      if (install.status !== 'running') done(install);
    });
  });
  toolManager.install();
  receive(1);
  reject(new Error('The disk is full.'));
  expect(await ended).toMatchObject({ status: 'failed', error: 'The disk is full.' });
});

/** A ToolManager with a tool on a machine with these capabilities. */
const on = (host: Host, insistence: Insistence, buildsWithoutSandbox = false, platform: NodeJS.Platform = 'linux') =>
  createToolManager({
    runner: { probe: async () => host },
    find: async () => ({ name: 'tofu', version: '1.12.6', path: '/tofu', origin: 'path' }),
    installTool: () => new Promise(() => {}),
    clock: heldClock(),
    log: createLog('silent'),
    insistence,
    buildsWithoutSandbox,
    platform,
  });

test('an operator may require a sandbox and an isolated network, and the missing one is named', async () => {
  const bare: Host = { sandbox: 'none', network: 'shared' };
  const shared: Host = { sandbox: 'bwrap', network: 'shared' };
  const isolated: Host = {
    sandbox: 'bwrap',
    network: 'isolated',
    isolation: { program: '/usr/bin/slirp4netns', hardening: [] },
  };
  const findRefusal = async (host: Host, sandbox: boolean, isolatedNetwork: boolean) => {
    const toolManager = on(host, { sandbox, isolatedNetwork });
    const refusal = await toolManager.require().then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    expect(toolManager.findUnavailableReason(host)).toBe(refusal?.message);
    return refusal && [refusal.code, /bubblewrap|slirp4netns/.exec(refusal.message)?.[0]];
  };
  for (const host of [bare, shared, isolated]) expect(await findRefusal(host, false, false)).toBeUndefined();
  expect(await findRefusal(bare, true, true)).toEqual(['runner_unavailable', 'bubblewrap']);
  expect(await findRefusal(shared, true, false)).toBeUndefined();
  expect(await findRefusal(bare, false, true)).toEqual(['runner_unavailable', 'slirp4netns']);
  expect(await findRefusal(shared, true, true)).toEqual(['runner_unavailable', 'slirp4netns']);
  expect(await findRefusal(isolated, true, true)).toBeUndefined();
});

test('on a system that Runs do not support every Run is refused, and the message names what is missing', async () => {
  const host: Host = { sandbox: 'none', network: 'shared' };
  const statusOn = async (platform: NodeJS.Platform) => {
    const toolManager = on(host, { sandbox: false, isolatedNetwork: false }, false, platform);
    const refusal = await toolManager.require().then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    expect(toolManager.findUnavailableReason(host)).toBe(refusal?.message);
    return refusal && [refusal.code, refusal.message];
  };
  expect(await statusOn('linux')).toBeUndefined();
  expect(await statusOn('win32')).toEqual([
    'runner_unavailable',
    expect.stringMatching(/^No Run starts on Windows: it lacks .*FIFOs.* Start the server on Linux/),
  ]);
  expect(await statusOn('freebsd')).toEqual([
    'runner_unavailable',
    expect.stringMatching(/^No Run starts on freebsd: it is unknown to Ground Control\./),
  ]);
});

test('on macOS a required sandbox is not asked to be installed', async () => {
  const host: Host = { sandbox: 'none', network: 'shared' };
  const toolManager = on(host, { sandbox: true, isolatedNetwork: false }, false, 'darwin');
  expect(toolManager.findUnavailableReason(host)).toBe(
    'This server runs modules in a sandbox only, and none works on its machine. macOS has none, so use a server on Linux. Or disable GROUNDCTL_REQUIRE_SANDBOX.',
  );
  await expect(toolManager.capability()).resolves.toMatchObject({ sandbox: 'none', network: 'shared' });
  const permissive = on(host, { sandbox: false, isolatedNetwork: false }, false, 'darwin');
  expect(permissive.findUnavailableReason(host)).toBeUndefined();
});

test('nothing is built without a sandbox unless the operator allows it, and the setting is named', async () => {
  const none = { sandbox: false, isolatedNetwork: false };
  const findBuildReason = async (host: Host, allowed: boolean) => {
    const toolManager = on(host, none, allowed);
    expect(toolManager.findBuildUnavailableReason()).toBeUndefined();
    await toolManager.require();
    return toolManager.findBuildUnavailableReason();
  };
  expect(await findBuildReason({ sandbox: 'none', network: 'shared' }, false)).toMatch(
    /GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1/,
  );
  expect(await findBuildReason({ sandbox: 'none', network: 'shared' }, true)).toBeUndefined();
  expect(await findBuildReason({ sandbox: 'bwrap', network: 'shared' }, false)).toBeUndefined();
});

test('the reason why a sandbox does not work is in the capabilities and in the refusal of a Run', async () => {
  const problem = { code: 'seccomp' as const, message: 'A filter forbids it. Start the container otherwise.' };
  const host: Host = { sandbox: 'none', network: 'shared', problem };
  expect(await on(host, { sandbox: false, isolatedNetwork: false }).capability()).toMatchObject({
    sandbox: 'none',
    sandboxProblem: problem,
  });
  expect(on(host, { sandbox: true, isolatedNetwork: false }).findUnavailableReason(host)).toContain(problem.message);
  const bwrap: Host = { sandbox: 'bwrap', network: 'shared' };
  const works = await on(bwrap, { sandbox: true, isolatedNetwork: false }).capability();
  expect(works).not.toHaveProperty('sandboxProblem');
});
