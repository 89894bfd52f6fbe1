import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { encryptionNames } from '#server/drivers/tofu/index';
import { failpoint } from '#server/kernel/failpoints';
import { syncFolders } from '../os/durable-file.ts';
import { identityOf } from '../os/process-identity.ts';
import { RunnerError } from '../os/runner-error.ts';
import { findBubblewrap } from '../os/sandbox.ts';
import { listenForCancel } from '../runner/contract/cancellation.ts';
import { removeCredentialFiles } from '../runner/contract/credential-folders.ts';
import { secretsIn } from '../runner/contract/credentials.ts';
import type { PreallocatedFifos } from '../runner/contract/fifo-source.ts';
import type { HandedJob, Job, Outcome, ProcessIdentity } from '../runner/contract/job.ts';
import { type JournalWriter, openJournal, readWholeJournal } from '../runner/contract/journal.ts';
import { fifosOf, layoutOf, makeFolders, removeLeftoverFiles } from '../runner/contract/layout.ts';
import { claimFolder, releaseFolder } from '../runner/contract/owner.ts';
import { createRedactor, type Redactor } from '../runner/contract/redaction/redactor.ts';
import { writeSupervisor } from '../runner/contract/supervisor-file.ts';
import { hasTicket, takeTicket } from '../runner/contract/ticket.ts';
import { adoptApply, type Inheritance, inherit } from './adopt.ts';
import { runApply } from './apply.ts';
import { buildSource, builtForPlan } from './build/build.ts';
import { removeScratch } from './build/scratch.ts';
import { groupFoldersOf } from './command/bounds.ts';
import { discardPrewarmed } from './command/prewarm.ts';
import { outcomeOf, RunFailure } from './failure.ts';
import { disconnect, type RunNetwork, startNetwork } from './network/connect.ts';
import type { PreallocatedNetwork } from './network/preallocated-network.ts';
import { runPlan } from './plan.ts';
import { createReporter } from './reporting/reporter.ts';
import type { Run } from './run.ts';
import { createSyncs } from './syncs.ts';
import { withStatePaths } from './workspace/producer-states.ts';
import { openWorkspace } from './workspace/workspace.ts';

/** What a supervisor has made while it waited. */
export type Preallocated = { fifos: PreallocatedFifos; network: PreallocatedNetwork };

/**
 * Carries out one Job from its `started` record to its outcome. Throws only before that record, when nothing was
 * started: another Run still works in the folder, or the journal cannot be written.
 */
export async function supervise(job: HandedJob, preallocated: Preallocated): Promise<void> {
  if (job.formatVersion !== 1) {
    throw new RunnerError(
      'not_started',
      'The supervisor is of another version than the server; start the server again.',
    );
  }
  failpoint('supervisor.job');
  const identity = identityOf(process.pid) as ProcessIdentity;
  const inherited = inherit(job.mode === 'adopt' ? readWholeJournal(job.runDir) : []);
  // Whoever wakes too late does not touch what another one may be using.
  if (!hasTicket(job.runDir, job.ticket)) throw tooLate();
  // It ends with this process where nothing comes of the Job.
  const network = job.mode === 'run' ? openRunNetwork(job, preallocated) : undefined;
  await claimFolder(job, identity, groupFoldersOf(job.capsuleDir));
  failpoint('supervisor.claimed');
  redeemTicket(job, identity);
  const cancel = listenForCancel(job.runDir);
  const journal = openJournal(job.runDir);
  journal.write({ t: 'started', at: Date.now(), formatVersion: 1, identity });
  failpoint('supervisor.started');
  const secrets = secretsOf(job);
  const redactor = createRedactor(secrets);
  const report = createReporter({
    journal,
    redactor,
    logBytes: job.limits.logBytes,
    usedBytes: inherited.usedBytes,
    isSandboxed: job.sandbox === 'bwrap',
  });
  // What sealed the files at hand gave its names to them: the plan of an apply, nothing of a plan to be made.
  const names = encryptionNames(job.operation === 'apply' ? job.sealing.decryptionKey : job.sealing.encryptionKey);
  const bwrap = job.sandbox === 'bwrap' ? findBubblewrap() : undefined;
  const layout = layoutOf(job);
  const services = { journal, report, cancel, redactor, secrets };
  const run: Run = {
    job: withStatePaths(job, layout),
    layout,
    bwrap,
    names,
    ...services,
    cleanups: [],
    syncs: createSyncs(),
    ...(network && { network }),
  };
  run.syncs.add(syncFolders([path.dirname(job.runDir), job.runDir]));
  const reached = inherited.hasOutcome ? undefined : await carryOut(run, inherited, preallocated);
  await run.cleared;
  failpoint('supervisor.concluded');
  // The outcome tells the ledger that the folder is free, so it is before.
  removeLeftoverFiles(layout, job);
  removeCredentialFiles(job.capsuleDir);
  releaseFolder(job, identity);
  failpoint('supervisor.released');
  if (reached !== undefined) await writeOutcome(run, await flushOutcome(run, reached));
  failpoint('supervisor.outcome');
  journal.close();
  await Promise.all(run.cleanups);
}

/**
 * Who we are is written before the ticket is taken: whoever withdraws tickets and then finds nobody alive knows that
 * nobody will begin.
 */
function redeemTicket(job: HandedJob, identity: ProcessIdentity): void {
  const isOurs = hasTicket(job.runDir, job.ticket);
  if (isOurs) writeSupervisor(job.runDir, identity);
  failpoint('supervisor.named');
  const isTaken = isOurs && takeTicket(job.runDir, job.ticket);
  failpoint('supervisor.ticket');
  if (isTaken) return;
  releaseFolder(job, identity);
  throw tooLate();
}

const tooLate = (): RunnerError =>
  new RunnerError('not_started', 'The Run was given to another supervisor meanwhile; nothing was started.');

/** Code in the sandbox can read the keys of its Capsule, so it can print them too. */
function secretsOf({ secrets, credentials, sealing }: Job): string[] {
  const keys = [sealing.encryptionKey, sealing.decryptionKey];
  return [
    ...secrets,
    ...secretsIn(credentials),
    ...keys,
    ...keys.map((key) => Buffer.from(key, 'base64').toString('hex')),
  ];
}

/** Undefined where the commands of a Run share the network of the host. */
function openRunNetwork({ isolation, sandbox }: Job, { network }: Preallocated): RunNetwork | undefined {
  const bwrap = sandbox === 'bwrap' ? findBubblewrap() : undefined;
  if (isolation === undefined || bwrap === undefined) return undefined;
  return startNetwork(network.take(isolation, bwrap));
}

async function carryOut(run: Run, inherited: Inheritance, preallocated: Preallocated): Promise<Outcome> {
  const { job, layout } = run;
  const isApply = job.operation === 'apply';
  run.isDispatched = inherited.tool !== undefined;
  try {
    const adopted = run.isDispatched ? await adoptApply(run, inherited) : undefined;
    if (adopted !== undefined) return adopted;
    run.isDispatched = false;
    checkPrograms(run);
    const network = run.network ?? openRunNetwork(job, preallocated);
    if (network !== undefined) run.network = network;
    makeFolders(layout, job);
    run.ready = preallocated.fifos.take(fifosOf(layout, job));
    // It is awaited before the first command; until then its failure is nobody's.
    run.ready.catch(() => {});
    removeScratch(job);
    const built = isApply ? builtForPlan(job) : await buildSource(run);
    if (built !== undefined) run.built = built;
    const workspace = openWorkspace(run);
    const outcome = await (isApply ? runApply(run, workspace) : runPlan(run, workspace));
    if (isApply) await run.syncs.done();
    return outcome;
  } catch (error) {
    return failed(run, error);
  } finally {
    await discardPrewarmed(run);
    disconnect(run);
  }
}

/** The outcome of a plan once no power cut can take what it speaks of, for which the folder of the Capsule need not wait. */
async function flushOutcome(run: Run, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind !== 'plan') return outcome;
  try {
    await run.syncs.done();
    return outcome;
  } catch (error) {
    return failed(run, error);
  }
}

function failed({ isDispatched, job }: Run, error: unknown): Outcome {
  if (!(error instanceof RunFailure)) process.stderr.write(`${describeCrash(error)}\n`);
  // After dispatch the only honest outcome is the truth about the state, which the next supervisor reads.
  if (isDispatched) throw error;
  return outcomeOf(error, job.operation === 'apply' ? 'apply' : 'plan');
}

function checkPrograms({ job, bwrap }: Run): void {
  if (!isExecutable(job.tool.path)) {
    throw new RunFailure(
      'tool_unavailable',
      'init',
      `The tool ${job.tool.name} ${job.tool.version} is not where it was found. Install it again.`,
    );
  }
  if (job.sandbox === 'bwrap' && bwrap === undefined) {
    throw new RunFailure(
      'tool_unavailable',
      'init',
      'bubblewrap was there when the server started and is gone. Install it again.',
    );
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const retryMs = 2_000;

/** A failed Run tells at least one error. The outcome waits for room on the disk, because nothing else ends the Run. */
async function writeOutcome({ report, journal, redactor }: Run, reached: Outcome): Promise<void> {
  const outcome = withCleanMessage(reached, redactor);
  const failure = failureIn(outcome);
  if (failure !== undefined)
    report.diagnostic({ severity: 'error', code: failure.errorCode, message: failure.message });
  try {
    journal.write({ t: 'outcome', at: Date.now(), outcome });
  } catch {
    await retryJournalSync(journal);
  }
}

/** A sentence of ours can name what a module has printed in the place of the tool. */
function withCleanMessage(outcome: Outcome, redactor: Redactor): Outcome {
  if (outcome.kind === 'plan' || outcome.message === undefined) return outcome;
  return { ...outcome, message: redactor.text(outcome.message) };
}

async function retryJournalSync(journal: JournalWriter): Promise<void> {
  for (;;) {
    await delay(retryMs);
    try {
      journal.sync();
      return;
    } catch {
      // Still no room.
    }
  }
}

function failureIn(outcome: Outcome): { errorCode: string; message: string } | undefined {
  if (outcome.kind === 'failed') return outcome.errorCode === 'cancelled' ? undefined : outcome;
  if (outcome.kind === 'plan' || outcome.errorCode === undefined) return undefined;
  return { errorCode: outcome.errorCode, message: outcome.message ?? '' };
}

/** Where an error arose, without its message: a message can repeat what a module wrote. */
export function describeCrash(error: unknown): string {
  if (!(error instanceof Error)) return 'supervisor: something was thrown that is no error';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const { code } = error as NodeJS.ErrnoException;
  return [`supervisor: ${error.name}${code === undefined ? '' : ` (${code})`}`, ...frames].join('\n');
}
