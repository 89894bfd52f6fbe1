import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  type Diagnostic,
  fileStaged,
  findMissing,
  getArgs,
  initArgs,
  lacksProviders,
  listMirror,
  lockDigest,
  type ProviderPackage,
  parseLock,
  writeView,
} from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { allowancesOf } from '../os/allowances.ts';
import type { Command } from '../os/environment.ts';
import { mirrorInside } from '../os/sandbox.ts';
import { runCommand } from './command/command.ts';
import { failureOf, firstErrorMessage, RunFailure } from './failure.ts';
import { createLockWarningFilter } from './lock-warning.ts';
import { type CommandEnd, type CommandRequest, hasSucceeded, type SupervisedRun, wasEnded } from './run.ts';
import { isBackendRecorded, writeBackendRecord } from './workspace/backend-record.ts';
import { findReusable, removeStamp, writeStamp } from './workspace/init-stamp.ts';
import { cliConfigOf, type ProviderSources } from './workspace/provider-sources.ts';
import type { Workspace } from './workspace/workspace.ts';

export type Initialised = { lock: string; lockDigest: string };

/**
 * Prepares the folder for a plan or an apply. Nothing runs when it is up to date. Otherwise init runs without network
 * from the provider store. Only when a package is missing, `get` verifies without network that no module source is
 * remote, and one init with network fetches only packages into a staging folder, from which they are moved to the
 * store. `next` is the following command.
 */
export async function initialise(
  run: SupervisedRun,
  workspace: Workspace,
  next?: CommandRequest,
): Promise<Initialised> {
  const reusable = findReusable(run, workspace);
  if (reusable !== undefined) {
    run.report.phase('init', 'reused');
    workspace.lock = reusable;
    return { lock: reusable, lockDigest: lockDigest(reusable) };
  }
  run.report.phase('init', 'started');
  removeStamp(run.spec);
  const deadline = performance.now() + run.spec.limits.initSeconds * 1000;
  const attempt = createAttempts(run, workspace, { deadline, next });
  if (!(await initFromStore(run, workspace, attempt))) {
    await fetchPackages(run, workspace, attempt);
    if (!(await initFromStore(run, workspace, attempt))) {
      throw new RunFailure(
        'init_failed',
        'init',
        'A provider package that was fetched could not be used from the store. Plan again.',
      );
    }
  }
  checkBackend(run);
  const lock = workspace.readLock();
  workspace.lock = lock;
  workspace.ownLock = null;
  writeStamp(run, workspace, lock);
  run.report.phase('init', 'finished');
  return { lock, lockDigest: lockDigest(lock) };
}

/** A folder that was prepared without init. `confirm` lets later Runs reuse it, once the tool has planned there. */
export type AssumedFolder = { initialised: Initialised; confirm(): void };

/**
 * Prepares the folder of a module that needs neither packages nor modules as its init would: init only records the
 * backend there. The scan is a hint. The tool itself refuses to plan when a package, a module or the backend is missing
 * in the folder, so the plan decides. Undefined when init must run or its folder can be reused.
 */
export function assumeInitialised(run: SupervisedRun, workspace: Workspace): AssumedFolder | undefined {
  const { spec, layout, report } = run;
  const hasLock = workspace.ownLock !== null || (workspace.lock ?? '') !== '';
  if (spec.isWithoutPackages !== true || hasLock || findReusable(run, workspace) !== undefined) return undefined;
  report.phase('init', 'started');
  removeStamp(spec);
  emptyFolder(layout.host.data);
  writeBackendRecord(layout);
  report.say('init', 'info', 'The module needs no provider package, so init is left out.');
  report.phase('init', 'finished');
  return {
    initialised: { lock: '', lockDigest: lockDigest('') },
    confirm: () => writeStamp(run, workspace, ''),
  };
}

type Attempt = (request: {
  command: Command;
  argv: readonly string[];
  network: boolean;
  sources: ProviderSources;
}) => Promise<Tried>;
type AttemptOptions = { deadline: number; next: CommandRequest | undefined };
type Tried = { end: CommandEnd; errors: readonly Diagnostic[]; isDone: boolean; lacksProviders: boolean };

/** Runs init and get and defers their errors, because the next attempt may make them obsolete. */
function createAttempts(run: SupervisedRun, workspace: Workspace, { deadline, next }: AttemptOptions): Attempt {
  return async ({ command, argv, network, sources }) => {
    if (run.cancel.isRequested) throw new RunFailure('cancelled', 'init', 'The Run was cancelled.');
    workspace.restore();
    const errors: Diagnostic[] = [];
    const isMoot = createLockWarningFilter({ network, sources });
    const sink = run.report.listen({
      phase: 'init',
      onEvent(event) {
        if (isMoot(event)) return false;
        if (event.kind === 'log') return event.level !== 'error';
        if (event.kind !== 'diagnostic' || event.severity !== 'error') return true;
        const { kind: _, ...error } = event;
        errors.push(error);
        return false;
      },
    });
    const request: CommandRequest = {
      name: command,
      phase: 'init',
      argv,
      sink,
      network,
      writable: { state: false, data: true },
      variables: run.spec.variables,
      hasPlan: false,
      outlives: false,
      cliConfig: cliConfigOf(run, { network, sources }),
    };
    const limitSeconds = Math.max(1, (deadline - performance.now()) / 1000);
    const end = await runCommand(run, request, { limitSeconds, ...(next && { next }) });
    const isDone = hasSucceeded(end);
    return { end, errors, isDone, lacksProviders: !isDone && !wasEnded(end) && lacksProviders(errors) };
  };
}

/** Runs one init with local packages. Returns false when only packages are missing. */
async function initFromStore(run: SupervisedRun, workspace: Workspace, attempt: Attempt): Promise<boolean> {
  const { present, missing } = findPackages(run, workspace);
  if (missing.length > 0 && run.spec.providers.mirrorDir === undefined) return false;
  emptyFolder(run.layout.host.data);
  const tried = await attempt({
    command: 'init',
    argv: initArgs({
      tool: run.spec.tool.name,
      varFile: run.layout.seen.variablesFile,
      lockReadonly: isRecorded(workspace),
    }),
    network: false,
    sources: sourcesOf(run, present, false),
  });
  if (tried.isDone) return true;
  if (tried.lacksProviders) return false;
  throw fail(run, tried, 'init');
}

async function fetchPackages(run: SupervisedRun, workspace: Workspace, attempt: Attempt): Promise<void> {
  const { present } = await guardModuleSources(run, workspace, attempt);
  run.report.say('init', 'info', 'A provider is not in the store yet and is fetched from its registry.');
  const fetch = (stored: readonly ProviderPackage[]): Promise<Tried> =>
    stagePackages(run, workspace, { attempt, stored });
  let tried = await fetch(present);
  // A stored version may not meet the constraints; then it is fetched from its registry too.
  if (tried.lacksProviders && present.some((item) => isBlamed(item, tried.errors))) tried = await fetch([]);
  if (tried.lacksProviders && workspace.ownLock !== null) {
    workspace.ownLock = null;
    run.report.diagnostic({
      severity: 'warning',
      message: 'The lock file of the module was not used: a version it names cannot be had.',
    });
    tried = await fetch([]);
  }
  if (!tried.isDone) throw fail(run, tried, 'init');
  storeStaged(run);
  // From here on the lock that was created with the packages decides which of them are valid.
  workspace.lock = workspace.readLock();
  workspace.ownLock = null;
}

/** Verifies without network that no module source is remote, because the init that follows has one. */
async function guardModuleSources(
  run: SupervisedRun,
  workspace: Workspace,
  attempt: Attempt,
): Promise<ReturnType<typeof findMissing>> {
  emptyFolder(run.layout.host.data);
  const packages = findPackages(run, workspace);
  const argv = getArgs({ tool: run.spec.tool.name, varFile: run.layout.seen.variablesFile });
  const sources = sourcesOf(run, packages.present, false);
  const guard = await attempt({ command: 'get', argv, network: false, sources });
  if (!guard.isDone) throw fail(run, guard, 'check of module sources');
  return packages;
}

const stagingFolder = (run: SupervisedRun): string => path.join(run.layout.host.data, 'providers');

type Staging = { attempt: Attempt; stored: readonly ProviderPackage[] };

/** Fetches packages that are not among the stored ones. The data folder of this one init is the staging folder. */
function stagePackages(run: SupervisedRun, workspace: Workspace, { attempt, stored }: Staging): Promise<Tried> {
  // Files of an earlier attempt must not count.
  removeTree(stagingFolder(run));
  const argv = initArgs({
    tool: run.spec.tool.name,
    varFile: run.layout.seen.variablesFile,
    modules: false,
    lockReadonly: isRecorded(workspace),
  });
  return attempt({ command: 'init', argv, network: true, sources: sourcesOf(run, stored, true) });
}

/** Moves the staged packages to the store. */
function storeStaged(run: SupervisedRun): void {
  const { providers, sandbox } = run.spec;
  const isSandboxed = sandbox !== 'none';
  const mounts = isSandboxed && providers.mirrorDir !== undefined ? { [mirrorInside]: providers.mirrorDir } : {};
  const inside = isSandboxed ? { [run.layout.seen.providers]: providers.storeDir } : {};
  fileStaged({
    stagingDir: stagingFolder(run),
    storeDir: providers.storeDir,
    mounts: { ...mounts, ...inside },
  });
}

/** Reports whether an error names this provider; the tool omits the host of its own registry. */
const isBlamed = ({ address }: ProviderPackage, errors: readonly Diagnostic[]): boolean => {
  const name = address.slice(address.indexOf('/') + 1);
  return errors.some(({ message, detail }) => message.includes(name) || detail?.includes(name) === true);
};

function findPackages(run: SupervisedRun, workspace: Workspace): ReturnType<typeof findMissing> {
  const text = workspace.lock ?? workspace.ownLock;
  const lock = text === null ? null : parseLock(text);
  return findMissing({ storeDir: run.spec.providers.storeDir, tool: run.spec.tool.name, lock });
}

function sourcesOf(run: SupervisedRun, packages: readonly ProviderPackage[], network: boolean): ProviderSources {
  const { storeDir, mirrorDir } = run.spec.providers;
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  return {
    view: writeView({ storeDir, packages }),
    storeProviders: network ? [...new Set(packages.map((item) => item.address))] : [],
    mirrorProviders: mirrorDir === undefined ? [] : listMirror(mirrorDir),
  };
}

/** Reports whether the lock is recorded and must not change; a module's own lock, or none, may change. */
const isRecorded = (workspace: Workspace): boolean => workspace.lock !== null;

function fail(run: SupervisedRun, tried: Tried, what: string): RunFailure {
  for (const diagnostic of tried.errors) run.report.diagnostic(diagnostic);
  const names = {
    errorCode: 'init_failed' as const,
    phase: 'init' as const,
    what,
    seconds: run.spec.limits.initSeconds,
    allowances: allowancesOf(run.spec),
  };
  return failureOf(tried.end, names, firstErrorMessage(run, tried.errors));
}

/** Requires the generated backend, because a module that moves its state would leave the ledger without it. */
function checkBackend({ layout }: SupervisedRun): void {
  if (isBackendRecorded(layout)) return;
  throw new RunFailure(
    'init_failed',
    'init',
    'The module moves its state away from this Capsule. Remove its backend overrides and plan again.',
  );
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) removeTree(path.join(folder, name));
}
