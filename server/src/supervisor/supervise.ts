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
import type { ExecutionSpec, HandedSpec, Outcome, ProcessIdentity } from '../runner/contract/execution-spec.ts';
import type { PreallocatedFifos } from '../runner/contract/fifo-source.ts';
import { type JournalWriter, openJournal, readWholeJournal } from '../runner/contract/journal.ts';
import { fifosOf, layoutOf, makeFolders, removeLeftoverFiles } from '../runner/contract/layout.ts';
import { claimFolder, releaseFolder } from '../runner/contract/owner.ts';
import { createRedactor, type Redactor } from '../runner/contract/redaction/redactor.ts';
import { writeSupervisor } from '../runner/contract/supervisor-file.ts';
import { hasTicket, takeTicket } from '../runner/contract/ticket.ts';
import { runAction } from './action.ts';
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
import type { SupervisedRun } from './run.ts';
import { createSyncs } from './syncs.ts';
import { withStatePaths } from './workspace/producer-states.ts';

/** Resources that a supervisor has created while it waited. */
type Preallocated = { fifos: PreallocatedFifos; network: PreallocatedNetwork };

/**
 * Runs one spec from its `started` record to its outcome. Throws only before that record, when nothing was started:
 * another Run still works in the folder, or the journal cannot be written.
 */
export async function supervise(spec: HandedSpec, preallocated: Preallocated): Promise<void> {
  if (spec.formatVersion !== 1) {
    throw new RunnerError(
      'not_started',
      'The supervisor is of another version than the server; start the server again.',
    );
  }
  failpoint('supervisor.job');
  const identity = identityOf(process.pid) as ProcessIdentity;
  const inherited = inherit(spec.mode === 'adopt' ? readWholeJournal(spec.runDir) : []);
  // A supervisor that reads its spec too late must not touch files of another one.
  if (!hasTicket(spec.runDir, spec.ticket)) throw tooLate();
  // The network ends with this process if the spec fails to start.
  const network = spec.mode === 'run' ? openRunNetwork(spec, preallocated) : undefined;
  await claimFolder(spec, identity, groupFoldersOf(spec.capsuleDir));
  failpoint('supervisor.claimed');
  redeemTicket(spec, identity);
  const cancel = listenForCancel(spec.runDir);
  const journal = openJournal(spec.runDir);
  journal.write({ t: 'started', at: Date.now(), formatVersion: 1, identity });
  failpoint('supervisor.started');
  const secrets = secretsOf(spec);
  const redactor = createRedactor(secrets);
  const report = createReporter({
    journal,
    redactor,
    logBytes: spec.limits.logBytes,
    usedBytes: inherited.usedBytes,
    isSandboxed: spec.sandbox === 'bwrap',
  });
  // The key names depend on what sealed the existing files: the plan of an apply, or nothing for a new plan.
  const names = encryptionNames(spec.operation === 'apply' ? spec.sealing.decryptionKey : spec.sealing.encryptionKey);
  const bwrap = spec.sandbox === 'bwrap' ? findBubblewrap() : undefined;
  const layout = layoutOf(spec);
  const services = { journal, report, cancel, redactor, secrets };
  const run: SupervisedRun = {
    spec: withStatePaths(spec, layout),
    layout,
    bwrap,
    names,
    ...services,
    cleanups: [],
    syncs: createSyncs(),
    ...(network && { network }),
  };
  run.syncs.add(syncFolders([path.dirname(spec.runDir), spec.runDir]));
  const reached = inherited.hasOutcome ? undefined : await carryOut(run, inherited, preallocated);
  await run.cleared;
  failpoint('supervisor.concluded');
  // The outcome reports to the ledger that the folder is free, so the files are removed first.
  removeLeftoverFiles(layout, spec);
  removeCredentialFiles(spec.capsuleDir);
  releaseFolder(spec, identity);
  failpoint('supervisor.released');
  if (reached !== undefined) await writeOutcome(run, await flushOutcome(run, reached));
  failpoint('supervisor.outcome');
  journal.close();
  await Promise.all(run.cleanups);
}

/**
 * Writes the identity of this process before it takes the ticket: when tickets are withdrawn and no supervisor is alive
 * afterwards, none will start the spec.
 */
function redeemTicket(spec: HandedSpec, identity: ProcessIdentity): void {
  const isOurs = hasTicket(spec.runDir, spec.ticket);
  if (isOurs) writeSupervisor(spec.runDir, identity);
  failpoint('supervisor.named');
  const isTaken = isOurs && takeTicket(spec.runDir, spec.ticket);
  failpoint('supervisor.ticket');
  if (isTaken) return;
  releaseFolder(spec, identity);
  throw tooLate();
}

const tooLate = (): RunnerError =>
  new RunnerError('not_started', 'The Run was given to another supervisor; nothing was started.');

/** Returns all secrets of the spec. Code in the sandbox can read the keys of its Capsule, so it can print them too. */
function secretsOf({ secrets, credentials, sealing }: ExecutionSpec): string[] {
  const keys = [sealing.encryptionKey, sealing.decryptionKey];
  return [
    ...secrets,
    ...secretsIn(credentials),
    ...keys,
    ...keys.map((key) => Buffer.from(key, 'base64').toString('hex')),
  ];
}

/** Opens the network of a Run; undefined when its commands share the network of the host. */
function openRunNetwork({ isolation, sandbox }: ExecutionSpec, { network }: Preallocated): RunNetwork | undefined {
  const bwrap = sandbox === 'bwrap' ? findBubblewrap() : undefined;
  if (isolation === undefined || bwrap === undefined) return undefined;
  return startNetwork(network.take(isolation, bwrap));
}

async function carryOut(run: SupervisedRun, inherited: Inheritance, preallocated: Preallocated): Promise<Outcome> {
  const { spec, layout } = run;
  const isApply = spec.operation === 'apply';
  const isAction = spec.operation === 'action';
  run.isDispatched = inherited.tool !== undefined;
  try {
    const adopted = run.isDispatched ? await adoptApply(run, inherited) : undefined;
    if (adopted !== undefined) return adopted;
    run.isDispatched = false;
    checkPrograms(run);
    const network = run.network ?? openRunNetwork(spec, preallocated);
    if (network !== undefined) run.network = network;
    makeFolders(layout, spec);
    run.ready = preallocated.fifos.take(fifosOf(layout, spec));
    // It is awaited before the first command, which reports its failure.
    run.ready.catch(() => {});
    removeScratch(spec);
    if (isAction) return await runAction(run);
    const built = isApply ? builtForPlan(spec) : await buildSource(run);
    if (built !== undefined) run.built = built;
    const outcome = await (isApply ? runApply(run) : runPlan(run));
    if (isApply) await run.syncs.done();
    return outcome;
  } catch (error) {
    return failed(run, error);
  } finally {
    await discardPrewarmed(run);
    disconnect(run);
  }
}

/** Makes durable what the outcome of a plan refers to. The folder of the Capsule is released before that. */
async function flushOutcome(run: SupervisedRun, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind !== 'plan') return outcome;
  try {
    await run.syncs.done();
    return outcome;
  } catch (error) {
    return failed(run, error);
  }
}

function failed({ isDispatched, spec }: SupervisedRun, error: unknown): Outcome {
  if (!(error instanceof RunFailure)) process.stderr.write(`${describeCrash(error)}\n`);
  // After dispatch only the state shows the outcome, and the next supervisor reads it.
  if (isDispatched) throw error;
  return outcomeOf(error, spec.operation === 'apply' ? 'apply' : 'plan');
}

function checkPrograms({ spec, bwrap }: SupervisedRun): void {
  if (spec.operation !== 'action' && !isExecutable(spec.tool.path)) {
    throw new RunFailure(
      'tool_unavailable',
      'init',
      `The tool ${spec.tool.name} ${spec.tool.version} is not where it was found. Install it again.`,
    );
  }
  if (spec.sandbox === 'bwrap' && bwrap === undefined) {
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

/**
 * Writes the outcome. A failed Run reports at least one error. The outcome waits for free disk space, because nothing
 * else ends the Run.
 */
async function writeOutcome({ report, journal, redactor }: SupervisedRun, reached: Outcome): Promise<void> {
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

/** A module prints messages of any length, and this one is shown as a sentence. */
const maxMessageChars = 65_536;

/** Redacts and cuts the message of the outcome, which can contain text that a module printed. */
function withCleanMessage(outcome: Outcome, redactor: Redactor): Outcome {
  if (outcome.kind === 'plan' || outcome.message === undefined) return outcome;
  return { ...outcome, message: redactor.text(outcome.message).slice(0, maxMessageChars) };
}

async function retryJournalSync(journal: JournalWriter): Promise<void> {
  for (;;) {
    await delay(retryMs);
    try {
      journal.sync();
      return;
    } catch {
      // Still no free space.
    }
  }
}

function failureIn(outcome: Outcome): { errorCode: string; message: string } | undefined {
  if (outcome.kind === 'failed') return outcome.errorCode === 'cancelled' ? undefined : outcome;
  // The server reports the end of every action, of both executors.
  if (outcome.kind === 'plan' || outcome.kind === 'action' || outcome.errorCode === undefined) return undefined;
  return { errorCode: outcome.errorCode, message: outcome.message ?? '' };
}

/** Returns the location of an error without its message, which can contain text of a module. */
export function describeCrash(error: unknown): string {
  if (!(error instanceof Error)) return 'supervisor: a value that is not an Error was thrown';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const { code } = error as NodeJS.ErrnoException;
  return [`supervisor: ${error.name}${code === undefined ? '' : ` (${code})`}`, ...frames].join('\n');
}
