import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tofu } from '../../../test/runner/capsule.ts';
import type { Network } from '../../os/network.ts';
import { identityOf, isAlive } from '../../os/process-identity.ts';
import { findBubblewrap } from '../../os/sandbox.ts';
import type { Isolation } from '../../runner/contract/execution-spec.ts';
import { probeSandbox } from '../../runner/probe.ts';
import { prepareNetwork } from './preallocated-network.ts';

const { isolation } = await probeSandbox(tofu);
const bwrap = findBubblewrap() ?? '';
const withNetwork = test.skipIf(isolation === undefined);
if (isolation === undefined) process.stderr.write('spare-network.live: skipped, slirp4netns does not work here\n');

/** A replacement for slirp4netns that records its process, and all recorded processes. */
function counted(): { isolation: Isolation; pids(): number[] } {
  const folder = mkdtempSync(path.join(tmpdir(), 'groundctl-spare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'slirp4netns');
  const log = path.join(folder, 'pids');
  writeFileSync(log, '');
  writeFileSync(file, `#!/bin/sh\necho $$ >>${log}\nexec ${isolation?.program} "$@"\n`);
  chmodSync(file, 0o755);
  return {
    isolation: { program: file, hardening: isolation?.hardening ?? [] },
    pids: () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number),
  };
}

/** Closes the network at the end of the test. */
function held(network: Network): Network {
  onTestFinished(() => network.close());
  return network;
}

function lives(pid: number | undefined): boolean {
  const identity = pid === undefined ? undefined : identityOf(pid);
  return identity !== undefined && isAlive(identity);
}

withNetwork('a Run gets the preallocated network', async () => {
  const carrier = counted();
  const preallocated = prepareNetwork({ bwrap, isolation: carrier.isolation });
  const network = held(await preallocated.take(carrier.isolation, bwrap));
  expect(network.isOver()).toBe(false);
  expect(carrier.pids()).toHaveLength(1);
  await preallocated.drop();
  expect(network.isOver()).toBe(false);
  expect(lives(carrier.pids()[0])).toBe(true);
});

withNetwork('replaces a network whose slirp4netns ended while it waited', async () => {
  const carrier = counted();
  const preallocated = prepareNetwork({ bwrap, isolation: carrier.isolation });
  const [pid] = await vi.waitUntil(() => (carrier.pids().length > 0 ? carrier.pids() : undefined), { timeout: 30_000 });
  process.kill(pid as number, 'SIGKILL');
  // Waits until Node has reaped it, which is when it emits the exit event.
  await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 30_000 });
  const network = held(await preallocated.take(carrier.isolation, bwrap));
  expect(network.isOver()).toBe(false);
  expect(carrier.pids()).toHaveLength(2);
});

withNetwork('a Run with another isolation method gets a network of that method', async () => {
  const [expected, wanted] = [counted(), counted()];
  const preallocated = prepareNetwork({ bwrap, isolation: expected.isolation });
  const network = held(await preallocated.take(wanted.isolation, bwrap));
  expect(network.isOver()).toBe(false);
  expect(wanted.pids()).toHaveLength(1);
});

withNetwork('leaves nothing when no Run came, whether or not the isolation method was known', async () => {
  const carrier = counted();
  const known = prepareNetwork({ bwrap, isolation: carrier.isolation });
  const unknown = prepareNetwork({ bwrap, isolation: undefined });
  await Promise.all([known.drop(), unknown.drop()]);
  expect(carrier.pids().filter(lives)).toEqual([]);
});
