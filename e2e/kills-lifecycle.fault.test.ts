import { existsSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailpointName } from '#server/kernel/failpoints';
import type { Run } from '#shared/runs/contract';
import { endOf, killVictim, patienceMs, supervisorOf, waitForMoment } from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger } from './fixtures/crash-checks.ts';
import { timesOf } from './fixtures/depth.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { errorsOf, getCapsule, installPlanned, planAgain, startApply } from './fixtures/journey.ts';
import { actionOf, declareActions, shellAction } from './fixtures/lifecycle.ts';
import { createRandom } from './fixtures/random.ts';

/** Number of times that the server is killed while actions run, and a supervisor of an action. */
const serverKills = timesOf({ quick: 2, deep: 200 });
const supervisorKills = timesOf({ quick: 2, deep: 100 });
const random = createRandom();
const timeout = (times: number) => ({ timeout: 90_000 + times * 30_000 });

/** Counts the requests of actions by their path, outside of every sandbox and server. */
type Counter = { port: number; counts: Map<string, number>; close(): void };

async function startCounter(): Promise<Counter> {
  const counts = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const key = String(request.headers['idempotency-key'] ?? request.url);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    request.resume();
    const answer = () => response.setHeader('content-type', 'application/json').end('{"status":"succeeded"}');
    // The answer of an activator takes its time, so that a kill can come before it.
    void delay(request.method === 'POST' ? random.below(150) : 0).then(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Every apply has another Output, by which its actions are counted. */
const main = 'output "nonce" { value = uuid() }\n';
const counting = (id: string, port: number) =>
  shellAction(
    id,
    `bash -c 'nonce=$(printf %s "$SVC_OUTPUTS_JSON" | cut -d\\" -f4)
exec 3<>/dev/tcp/127.0.0.1/${port}
printf "GET /${id}/%s HTTP/1.0\\r\\n\\r\\n" "$nonce" >&3
cat <&3 >/dev/null
sleep 0.$((RANDOM % 4))'`,
  );

let harness: Harness;
let counter: Counter;
let capsuleId = '';
beforeAll(async () => {
  counter = await startCounter();
  harness = await startHarness({
    env: {
      // The actions reach the counter on the loopback address.
      GROUNDCTL_SHARE_NETWORK: '1',
      SVC_RELEASE_ACTIVATOR_URL: `http://127.0.0.1:${counter.port}/`,
      SVC_RELEASE_ACTIVATOR_TOKEN: 'token-of-the-activator',
    },
  });
  const { url } = harness.repository('counted', { 'main.tf': main });
  const announce = actionOf('announce', ['announce'], { executor: 'operator' });
  await declareActions(harness, url, [counting('first', counter.port), announce, counting('last', counter.port)]);
  ({ capsuleId } = await installPlanned(harness, { url, name: 'counted' }));
});
afterAll(async () => {
  await harness?.stop();
  counter?.close();
});

/** Nothing ran twice; a Run that succeeded ran everything, and one that failed stopped at the action it names. */
async function expectOnce(run: Run, before: ReadonlyMap<string, number>): Promise<void> {
  expect([...counter.counts.values()].every((count) => count === 1)).toBe(true);
  const added = [...counter.counts.keys()].filter((key) => !before.has(key));
  const ran = (id: string): boolean => added.some((key) => key.startsWith(`/${id}/`) || key.endsWith(`:${id}`));
  const capsule = await getCapsule(harness, capsuleId);
  if (run.status === 'succeeded') {
    expect(['first', 'announce', 'last'].map(ran)).toEqual([true, true, true]);
    expect(capsule).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
    return;
  }
  expect(run).toMatchObject({ status: 'failed', errorCode: 'capsule_lifecycle_action_failed' });
  expect(capsule).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
  const [{ message = '' } = {}] = await errorsOf(harness, run.id);
  const stopped = /^Action "(\w+)"/.exec(message)?.[1] ?? '';
  expect(['first', 'announce', 'last']).toContain(stopped);
  if (stopped === 'first') expect(ran('announce')).toBe(false);
  if (stopped !== 'last') expect(ran('last')).toBe(false);
}

async function start(): Promise<{ run: Run; before: ReadonlyMap<string, number> }> {
  const plan = await planAgain(harness, capsuleId);
  const before = new Map(counter.counts);
  return { run: await startApply(harness, plan), before };
}
const moment = () => ({ what: 'change' as const, number: random.below(110) });

describe('while the actions of an apply run', () => {
  it(`the server is killed ${serverKills} times: no action runs twice`, timeout(serverKills), async () => {
    const ends = { succeeded: 0, failed: 0 };
    for (let kill = 0; kill < serverKills; kill += 1) {
      const { run, before } = await start();
      await waitForMoment(harness, run.id, moment());
      await killVictim(harness, run.id, 'server');
      const ended = await endOf(harness, run.id);
      expect(ended.ms).toBeLessThan(patienceMs);
      await expectOnce(ended.run, before);
      ends[ended.run.status as keyof typeof ends] += 1;
    }
    process.stdout.write(`server kills: ${JSON.stringify(ends)}\n`);
  });

  it(`supervisors are killed ${supervisorKills} times: no action runs twice`, timeout(supervisorKills), async () => {
    const ends = { succeeded: 0, failed: 0 };
    let killed = 0;
    for (let tries = 0; killed < supervisorKills && tries < 4 * supervisorKills + 8; tries += 1) {
      const { run, before } = await start();
      await waitForMoment(harness, run.id, moment());
      // The supervisor of an action has a folder of its own.
      const supervised = [0, 2].map((position) => `${run.id}.${position}`).find((id) => supervisorOf(harness, id));
      if (supervised && (await killVictim(harness, supervised, 'supervisor'))) killed += 1;
      const ended = await endOf(harness, run.id);
      expect(ended.ms).toBeLessThan(patienceMs);
      await expectOnce(ended.run, before);
      ends[ended.run.status as keyof typeof ends] += 1;
    }
    expect(killed).toBe(supervisorKills);
    process.stdout.write(`supervisor kills: ${JSON.stringify(ends)}\n`);
  });

  const points: readonly (readonly [FailpointName, Run['status']])[] = [
    ['lifecycle.hand', 'succeeded'],
    ['lifecycle.records', 'succeeded'],
    ['lifecycle.sent', 'failed'],
    ['lifecycle.answered', 'failed'],
    ['lifecycle.result', 'succeeded'],
  ];
  it.each(points)('the server is killed at %s: the Run is %s', { timeout: 90_000 }, async (name, status) => {
    const plan = await planAgain(harness, capsuleId);
    const before = new Map(counter.counts);
    const mark = path.join(harness.server.dataDir, `struck-${name}`);
    await harness.server.restart({ GROUNDCTL_FAILPOINT: `${name}@1:kill`, GROUNDCTL_FAILPOINT_MARK: mark });
    const run = await startApply(harness, plan);
    await harness.server.gone;
    expect(existsSync(mark)).toBe(true);
    await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
    const ended = await settled(harness.server, run.id);
    expect(ended.status).toBe(status);
    await expectOnce(ended, before);
  });
});

it('leaves an intact ledger and no process', { timeout: 60_000 }, async () => {
  await expectSoundLedger(harness);
  await expectNoLeftovers(harness);
});
