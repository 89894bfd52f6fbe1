import { closeSync, openSync } from 'node:fs';

/**
 * Points on the paths that commit something, at which a test can end the process or let a write fail. Nothing is armed
 * unless the environment of the process says so, and it is read once: in production every call is an empty function.
 */

/** All failpoints, in the order in which a Run passes them. A test triggers each of them. */
export const failpointNames = [
  // Start of the server.
  'start.locked',
  'start.migrated',
  'start.listening',
  'start.resumed',
  'start.ready',
  // First start of a restored installation, and the end of its pause: before and after the commit.
  'installation.pausing',
  'installation.paused',
  'installation.resuming',
  'installation.resumed',
  // Every transaction of the ledger: before it, before its commit, after the commit, and after its listeners ran.
  'ledger.begin',
  'ledger.commit',
  'ledger.committed',
  'ledger.heard',
  'receipt.stored',
  // Installation and sync.
  'install.step',
  'install.taken',
  'install.persisted',
  'import.stored',
  'import.requested',
  // A revision of an installable copy: content made, commit moved into the repository, end recorded.
  'copy.prepared',
  'copy.publish',
  'copy.published',
  'copy.finish',
  'copy.finished',
  'archive.written',
  'archive.renamed',
  'sync.fetched',
  'sync.saved',
  'sync.finished',
  // A queued Run on its way to a supervisor.
  'queue.claim',
  'queue.claimed',
  'deploy.execute',
  // Credentials that a Run requests when it starts, and their revocation after it.
  'credentials.requested',
  'credentials.answered',
  'credentials.recorded',
  'credentials.sealed',
  'credentials.revoke',
  'credentials.revoked',
  'deploy.spec',
  'deploy.hand',
  'handover.ticket',
  'handover.given',
  'handover.started',
  // A supervisor, from its execution spec to its outcome.
  'supervisor.job',
  'supervisor.claimed',
  'supervisor.named',
  'supervisor.ticket',
  'supervisor.started',
  'supervisor.launched',
  'supervisor.spawned',
  'supervisor.go',
  'supervisor.exited',
  'snapshot.found',
  'snapshot.kept',
  'snapshot.told',
  'durable.written',
  'durable.renamed',
  'durable.synced',
  'supervisor.concluded',
  'supervisor.released',
  'supervisor.outcome',
  // An apply that another supervisor adopts.
  'adopt.withdrawn',
  'adopt.start',
  'adopt.begun',
  'adopt.ended',
  // From the journal into the ledger.
  'take.begin',
  'take.records',
  'take.outcome',
  'take.finished',
  'take.committed',
  'state.insert',
  'state.inserted',
  'capsule.commit',
  // Client of a Capsule, in the transaction of the commit.
  'issuer.registered',
  'issuer.retired',
  // Lifecycle actions of an apply or a destroy.
  'lifecycle.hand',
  'lifecycle.records',
  'lifecycle.sent',
  'lifecycle.answered',
  'lifecycle.result',
  // Interfaces of an apply.
  'interfaces.intent',
  'interfaces.item',
  'interfaces.made',
  // A change of a Resource of the form host: recorded, and its native object changed.
  'form.started',
  'form.performed',
  // Deletion of a Workspace: in its transaction, then while its files and rows are removed.
  'deletion.shredded',
  'deletion.moved',
  'deletion.emptied',
  'deletion.rows',
  'deletion.completed',
  // Projection of a committed state.
  'projection.begin',
  'projection.saved',
  // A backup, from its Run and the copy of the ledger to its record.
  'backup.begin',
  'backup.copied',
  'backup.recorded',
  // The request and the commit of a restore of states, each in one transaction.
  'restore.requested',
  'restore.begin',
  'restore.state',
  'restore.recorded',
  // The file of a backup, before and after it gets its name.
  'backup.written',
  'backup.renamed',
  // A restore: keys stored, folder complete beside its place, and at it.
  'backup.keyed',
  'backup.staged',
  'backup.restored',
  // A promotion: copy restored, earlier servers revoked, term taken, ledger prepared, and the old server's time over.
  'promotion.restored',
  'promotion.revoked',
  'promotion.taken',
  'promotion.prepared',
  'promotion.waited',
] as const;
export type FailpointName = (typeof failpointNames)[number];

const actions = ['kill', 'error', 'enospc'] as const;
type Action = (typeof actions)[number];
type Armed = { name: FailpointName; nth: number; action: Action; mark: string | undefined };

/**
 * All variables of failpoints. `GROUNDCTL_FAILPOINT` is `name@n:action`: the process performs the action when it passes
 * the point for the nth time. `GROUNDCTL_FAILPOINT_MARK` names a file that is written then; while it exists no
 * failpoint triggers, so of all processes that read the same variables only one triggers, once.
 */
const failpointVariables = ['GROUNDCTL_FAILPOINT', 'GROUNDCTL_FAILPOINT_MARK'] as const;
type Environment = { readonly [name: string]: string | undefined };

/** Returns the failpoint variables for a child process; empty in production. */
export const failpointEnvironment = (env: Environment = process.env): { [name: string]: string } =>
  Object.fromEntries(
    failpointVariables.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Creates the function that each point calls. Throws when the variable is malformed: a test that triggers nothing proves nothing. */
export function createFailpoints(env: Environment): (name: FailpointName) => void {
  const armed = parse(env['GROUNDCTL_FAILPOINT'], env['GROUNDCTL_FAILPOINT_MARK']);
  if (armed === undefined) return () => {};
  let passed = 0;
  return (name) => {
    if (name !== armed.name) return;
    passed += 1;
    if (passed === armed.nth && mark(armed.mark)) strike(armed);
  };
}

/** Passes the failpoint with this name. */
export const failpoint = createFailpoints(process.env);

/** True when a failpoint is armed in this process. Then no warm-up runs, because the failpoint is meant for the work itself. */
export const isFailpointArmed = parse(process.env['GROUNDCTL_FAILPOINT'], undefined) !== undefined;

function parse(text: string | undefined, file: string | undefined): Armed | undefined {
  if (text === undefined || text === '') return undefined;
  const parts = /^([a-z]+\.[a-z]+)(?:@([1-9]\d*))?:([a-z]+)$/.exec(text);
  const name = failpointNames.find((known) => known === parts?.[1]);
  const action = actions.find((known) => known === parts?.[3]);
  if (name === undefined || action === undefined)
    throw new Error(`GROUNDCTL_FAILPOINT is not "name@n:${actions.join('|')}" with a known name: ${text}`);
  return { name, nth: Number(parts?.[2] ?? 1), action, mark: file };
}

/** Returns false when another process triggered before. */
function mark(file: string | undefined): boolean {
  if (file === undefined) return true;
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

function strike({ name, action }: Armed): void {
  if (action === 'kill') process.kill(process.pid, 'SIGKILL');
  const code = action === 'enospc' ? 'ENOSPC' : 'EIO';
  // SQLite reports the same fault under its own code.
  const shown = name.startsWith('ledger.') ? { ENOSPC: 'SQLITE_FULL', EIO: 'SQLITE_IOERR' }[code] : code;
  throw Object.assign(new Error(`${shown}: struck at ${name}`), { code: shown });
}
