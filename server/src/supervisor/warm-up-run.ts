import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { writeArchive } from '#server/drivers/archive/index';
import { encryptionNames } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { makeWorkFolder } from '../os/durable-file.ts';
import { identityOf } from '../os/process-identity.ts';
import { findBubblewrap } from '../os/sandbox.ts';
import type { ExecutionSpec, ProcessIdentity } from '../runner/contract/execution-spec.ts';
import { makeFifos } from '../runner/contract/fifo-source.ts';
import { fifosOf, layoutOf, makeFolders } from '../runner/contract/layout.ts';
import { claimFolder, releaseFolder } from '../runner/contract/owner.ts';
import { createRedactor } from '../runner/contract/redaction/redactor.ts';
import { writeBaselineState } from '../runner/contract/state-file.ts';
import { groupFoldersOf } from './command/bounds.ts';
import { runCommand } from './command/command.ts';
import { warmUpRelay } from './providers/warm-up-relay.ts';
import { createReporter } from './reporting/reporter.ts';
import type { SupervisedRun } from './run.ts';
import { createSyncs } from './syncs.ts';
import { createDiscardingJournal } from './warm-up.ts';
import { findReusable, writeStamp } from './workspace/init-stamp.ts';
import { plainCliConfig } from './workspace/provider-sources.ts';
import { planVariables } from './workspace/variables.ts';
import { openWorkspace } from './workspace/workspace.ts';

/** Folder, below that of waiting supervisors, in which one of them at a time warms up. */
export const warmUpFolder = 'rehearsal';

/**
 * Prepares the folder of an invented Capsule as a Run does, and starts a command in it that does nothing, because the
 * first execution in a process takes several times as long. `isWanted` is called between the steps, because a spec does
 * not wait for a warm-up. A step that fails here runs for the first time in the Run.
 */
export const warmUpRun = (standbyDir: string, isWanted: () => boolean): Promise<void> =>
  withInventedRun(standbyDir, (run) => play(run, isWanted));

/** Passes calls to an invented provider. It takes as long as all of `warmUpRun`, and only Runs with providers need it. */
export const warmUpProviders = (standbyDir: string): Promise<void> => withInventedRun(standbyDir, warmUpRelay);

async function withInventedRun(standbyDir: string, work: (run: SupervisedRun) => Promise<void>): Promise<void> {
  const folder = path.join(standbyDir, warmUpFolder);
  const identity = identityOf(process.pid) as ProcessIdentity;
  try {
    const spec = inventSpec(folder);
    await claimFolder(spec, identity, groupFoldersOf(spec.capsuleDir));
    try {
      const run = inventRun(spec);
      makeFolders(run.layout, spec);
      makeWorkFolder(spec.runDir);
      await work(run);
    } finally {
      releaseFolder(spec, identity);
      removeTree(folder);
    }
  } catch {
    // A full disk, an unusable sandbox or a concurrent warm-up: the Run reports real problems.
  }
}

async function play(run: SupervisedRun, isWanted: () => boolean): Promise<void> {
  const steps: (() => unknown)[] = [
    () => writeBaselineState(run, randomUUID()),
    () => openWorkspace(run).restore(),
    () => writeStamp(run, openWorkspace(run), ''),
    () => findReusable(run, openWorkspace(run)),
    () => makeFifos(fifosOf(run.layout, run.spec)),
    () => command(run),
  ];
  for (const step of steps) {
    await turn();
    if (!isWanted()) return;
    await step();
  }
}

const command = (run: SupervisedRun) =>
  runCommand(run, {
    name: 'show',
    phase: 'plan',
    argv: [],
    sink: run.report.listen({ phase: 'plan' }),
    network: false,
    writable: { state: false, data: false },
    variables: planVariables(run),
    hasPlan: false,
    outlives: false,
    cliConfig: plainCliConfig(run),
  });

function inventSpec(folder: string): ExecutionSpec {
  const module = { path: 'main.tf', executable: false, bytes: Buffer.from('resource "terraform_data" "a" {}\n') };
  const archive = writeArchive({ dir: path.join(folder, 'archives'), entries: [module] });
  const key = Buffer.alloc(32).toString('base64');
  return {
    formatVersion: 1,
    mode: 'run',
    operation: 'plan',
    runId: warmUpFolder,
    capsuleId: warmUpFolder,
    runDir: path.join(folder, 'run'),
    capsuleDir: path.join(folder, 'capsule'),
    archive,
    modulePath: '.',
    tool: { name: 'tofu', version: '1.0.0', path: '/usr/bin/true' },
    sandbox: findBubblewrap() === undefined ? 'none' : 'bwrap',
    providers: { storeDir: path.join(folder, 'providers') },
    variables: {},
    ephemeralVariables: [],
    secrets: [],
    sealing: { keyVersion: 1, encryptionKey: key, decryptionKey: key },
    state: null,
    lock: null,
    plan: null,
    limits: { initSeconds: 10, planSeconds: 10, logBytes: 1_000 },
  };
}

function inventRun(spec: ExecutionSpec): SupervisedRun {
  const journal = createDiscardingJournal();
  const redactor = createRedactor([]);
  return {
    spec,
    layout: layoutOf(spec),
    bwrap: findBubblewrap(),
    names: encryptionNames(spec.sealing.encryptionKey),
    journal,
    report: createReporter({ journal, redactor, logBytes: spec.limits.logBytes }),
    cancel: { isRequested: false, onRequest: () => () => {} },
    redactor,
    secrets: [],
    cleanups: [],
    syncs: createSyncs(),
  };
}
