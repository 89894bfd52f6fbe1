import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openTestLedger } from '../../test/empty-ledger.ts';
import { tempDir } from '../../test/harness.ts';
import { shortTimes, startNatsFixture } from '../../test/nats-fixture.ts';
import { hasNatsServer } from '../../test/nats-server.ts';
import { createFileRunner } from '../../test/runner/file-runner.ts';
import { machineKeys, reportedFacts, runnerPoolsOn } from '../../test/runner-machines.ts';
import { createQuestionHandlers } from '../domains/remote-runs/question-handlers.ts';
import { createSealKey } from '../drivers/nats/envelope.ts';
import { publishOffer } from '../drivers/nats/offers.ts';
import { answerQuestions } from '../drivers/nats/questions.ts';
import { createUserKey } from '../drivers/nats/user-key.ts';
import { systemClock } from '../kernel/clock.ts';
import { ownDisk } from '../kernel/durable-points.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { startMachine } from './machine.ts';
import { openSession } from './session.ts';

/** Format of the jobs of the server in these tests. */
const jobFormat = 2;

describe.skipIf(!hasNatsServer)('a machine whose version differs from that of its server', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  /** A server with its ledger and its answers; `claimed` are the machines that asked for a Run and may have one. */
  async function startServer() {
    const fixture = await startNatsFixture();
    const dir = tempDir();
    const db = openTestLedger(dir);
    const pools = runnerPoolsOn(db, systemClock, { jobFormat });
    const poolId = pools.createPool({ name: 'Office' }, 'operator').id;
    await fixture.streams.createPool(poolId);
    const claimed: string[] = [];
    const { authority, server: connection } = fixture;
    const handlers = createQuestionHandlers({
      clock: systemClock,
      workGate: { mayAct: () => true },
      points: ownDisk,
      pools,
      answers: { claim: ({ id }: { id: string }) => void claimed.push(id), beat: () => [] } as never,
      lateStates: {} as never,
      authority: async () => authority,
      membership: { sign: async () => 'renewed' } as never,
      fitsTool: () => true,
      offerLater: (runId) => void offer(runId),
      prepareMachine: async () => {},
    });
    const offer = (runId: string) =>
      publishOffer(connection, { poolId, kind: 'plan', offer: { runId, attempt: 0 }, turn: performance.now() });
    const onRefused = vi.fn();
    answerQuestions({ connection, signWith: authority.signWith, handlers, onFault: onRefused, onRefused });
    cleanups.push(() => {
      db.close();
      fs.rmSync(dir, { recursive: true });
      return fixture.close();
    });
    return { fixture, pools, poolId, claimed, onRefused, offer: () => offer(newId('plan')) };
  }
  type Server = Awaited<ReturnType<typeof startServer>>;

  /** Starts a machine that reads one format of jobs. */
  async function addMachine({ fixture, pools, poolId }: Server, jobFormatVersion: number) {
    const userKey = createUserKey();
    const keys = { ...machineKeys(), publicKey: userKey.publicKey };
    const facts = { name: 'builder', productVersion: '0.1.0' };
    const { id } = pools.enrol(pools.createEnrolment(poolId, 'operator').runnerEnrolment.id, { keys, facts });
    const { verifyWith } = fixture.authority;
    const jwt = fixture.authority.signRunner({ runnerId: id, poolId, publicKey: userKey.publicKey, seconds: 3_600 });
    const machine = { runnerId: id, poolId, urls: [fixture.nats.url], verifyWith, userKey, jwt };
    const logged: string[] = [];
    const note = (_fields: object, message: string) => void logged.push(message);
    const log = { info: note, warn: note, error: note } as unknown as Log;
    const session = await openSession({
      identity: { ...machine, sealKey: await createSealKey() },
      facts: async () => reportedFacts({ jobFormatVersion }),
      store: () => {},
      log,
      ...shortTimes,
    });
    const folder = (name: string) => path.join(fixture.nats.folder, id, name);
    const running = startMachine({
      link: session.link,
      runner: createFileRunner(),
      folders: {
        runs: folder('runs'),
        capsules: folder('capsules'),
        archives: folder('archives'),
        providers: folder('providers'),
        mirror: undefined,
      },
      findMachine: () => Promise.reject(new Error('not part of this test')),
      log,
      concurrency: 2,
      beatMs: 50,
    });
    cleanups.push(async () => {
      await running.stop();
      await session.close();
    });
    return { id, logged };
  }
  const shownOf = ({ pools, poolId }: Server, id: string) => pools.listMachines(poolId).find((one) => one.id === id);

  it.each([
    ['an older machine', jobFormat - 1, 'older', /older than its server; update it/],
    ['a newer machine', jobFormat + 1, 'newer', /newer than its server; update the server/],
  ] as const)('gets nothing: %s, and both sides say why', async (_, format, versionSkew, text) => {
    const server = await startServer();
    const odd = await addMachine(server, format);
    await expect.poll(() => shownOf(server, odd.id)?.versionSkew).toBe(versionSkew);
    await expect.poll(() => odd.logged.some((message) => text.test(message))).toBe(true);
    await server.offer();
    expect(server.pools.getPool(server.poolId)).toMatchObject({
      liveMachines: 1,
      skewedMachines: { older: 0, newer: 0, [versionSkew]: 1 },
    });
    // The Run goes to a machine of the server's version as soon as there is one.
    const fitting = await addMachine(server, jobFormat);
    await expect.poll(() => server.claimed).toEqual([fitting.id]);
    expect(shownOf(server, fitting.id)).not.toHaveProperty('versionSkew');
    expect(server.onRefused).not.toHaveBeenCalled();
  });
});
