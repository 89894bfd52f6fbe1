import { randomBytes } from 'node:crypto';
import type { MachineKeys, ReportedFacts } from '#shared/runner-pools/contract';
import { createActivityService } from '../src/domains/activity/index.ts';
import { createRemoteJobsStore } from '../src/domains/remote-runs/index.ts';
import { createRunnerPoolsService } from '../src/domains/runner-pools/index.ts';
import { createRunsService } from '../src/domains/runs/index.ts';
import { readEnrolment } from '../src/drivers/nats/driver.ts';
import type { Clock } from '../src/kernel/clock.ts';
import type { Db } from '../src/kernel/db.ts';
import { sha256Hex } from '../src/kernel/digest.ts';
import { createOutbox } from '../src/kernel/outbox.ts';
import { createCursors } from '../src/kernel/page.ts';

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Public keys of a new machine, as they look; nothing can be signed or opened with them. */
export const machineKeys = (): MachineKeys => ({
  publicKey: `U${Array.from(randomBytes(55), (byte) => base32[byte % 32]).join('')}`,
  sealKey: randomBytes(32).toString('base64'),
});

/** Facts that a machine reports with a beat. */
export const reportedFacts = (more: Partial<ReportedFacts> = {}): ReportedFacts => ({
  productVersion: '0.1.0',
  jobFormatVersion: 1,
  tool: { name: 'tofu', version: '1.12.6' },
  platform: 'linux-x64',
  sandbox: 'bwrap',
  network: 'isolated',
  concurrency: 2,
  ...more,
});

/** The service of pools on a ledger, as a server has it; its enrolment text is the token. */
export function runnerPoolsOn(db: Db, clock: Clock, { isConfigured = true, jobFormat = 1 } = {}) {
  const outbox = createOutbox(db, clock);
  const cursors = createCursors('key');
  const shared = { db, clock, outbox, cursors };
  const service = createRunnerPoolsService({
    ...shared,
    activity: createActivityService({ ...shared, installationKey: () => 'key' }),
    runs: createRunsService(shared),
    workspaces: { findWorkspaceId: (id) => id },
    isConfigured,
    countRunning: createRemoteJobsStore(db).countRunning,
    jobFormat,
  });
  if (isConfigured)
    service.attachNats({ open: async () => {}, enrolmentText: ({ token }) => token, configuration: async () => '' });
  return service;
}

/** Lets a new machine join with the text of an enrolment, and report itself once. Returns the id of the machine. */
export function joinPool(db: Db, text: string, clock: Clock): string {
  const service = runnerPoolsOn(db, clock);
  const find = db.sqlite.prepare('SELECT id FROM runner_enrolments WHERE token_hash = ?').pluck();
  const facts = { name: 'builder', productVersion: '0.1.0' };
  const { id } = service.enrol(find.get(sha256Hex(tokenOf(text))) as string, { keys: machineKeys(), facts });
  service.noteBeat(id, reportedFacts(), clock.now());
  return id;
}

/** Returns the token in the text of an enrolment; the service of `runnerPoolsOn` writes nothing else. */
const tokenOf = (text: string): string =>
  text.startsWith('groundctl-enrolment') ? readEnrolment(text).token.reveal() : text;
