import path from 'node:path';
import { runIdOfFolder } from '#server/domains/execution/index';
import { builtArchive, findOccupant, isSupervised } from '#server/runner/index';
import { capsuleRunTypes, localPool, type RunType } from '#shared/runs/contract';
import type { Examination } from './examination.ts';
import { hasDigest, listFolder } from './files.ts';
import { atMost, type Check, type Finding, note, problem } from './finding.ts';

/** A server writes a heartbeat for every Run it follows, six times in this interval. */
const unheardMs = 60_000;
const longQueuedMs = 3_600_000;
const lateMs = 300_000;
/** The process that records the end of a Run needs a moment to exit. */
const partingMs = 30_000;

type Row = ReturnType<Examination['store']['listByStatus']>[number];
const runsTool = (type: RunType): boolean => (capsuleRunTypes as readonly RunType[]).includes(type);

/** Runs without progress. */
export const stuckRunsCheck: Check = {
  name: 'runs',
  needs: ['tables'],
  examine(examination) {
    const { store } = examination;
    const running = store.listByStatus('running');
    const findings = [
      ...running.flatMap((run) => ofRunning(run, examination)),
      ...store.listByStatus('queued').flatMap((run) => ofQueued(run, running.length > 0, examination)),
      ...store.listByStatus('waiting_approval').flatMap((run) => ofWaiting(run, examination)),
    ];
    return atMost(findings, 'Runs without progress');
  },
};

function ofRunning(run: Row, { clock, isServerRunning, folders }: Examination): Finding[] {
  const subject = run.id;
  if (isServerRunning) {
    const silentMs = clock.now() - (run.heartbeatAt ?? run.startedAt ?? run.createdAt);
    if (silentMs < unheardMs) return [];
    const message = `This Run has had no heartbeat for ${Math.round(silentMs / 1_000)} seconds.`;
    return [problem({ subject, message, remedy: 'Restart the server: it resumes every running Run.' })];
  }
  if (runsTool(run.type) && isRunSupervised(run.id, folders.runs)) {
    const message = 'No server runs, and this Run continues under its supervisor.';
    return [note({ subject, message, remedy: 'Start the server to record how it ends.' })];
  }
  if (run.runnerPool !== localPool) {
    const message = 'No server runs, and this Run may continue on the machine of a pool that has it.';
    return [note({ subject, message, remedy: 'Start the server to record how it ends.' })];
  }
  const message = 'This Run was running when its server ended, and no process works on it.';
  return [
    problem({
      subject,
      message,
      remedy: 'Start the server: it ends an apply with its known result and runs others again.',
    }),
  ];
}

/** Reports whether the supervisor of a Run, or of one of its actions, is alive. */
const isRunSupervised = (id: string, folder: string): boolean =>
  listFolder(folder).some((name) => runIdOfFolder(name) === id && isSupervised(path.join(folder, name)));

function ofQueued(run: Row, isSomeRunning: boolean, { clock, isServerRunning }: Examination): Finding[] {
  const waits = clock.now() - run.createdAt;
  const message = `This Run has been queued for ${Math.round(waits / 60_000)} minutes.`;
  const details = { subject: run.id, message };
  if (!isServerRunning) return [note({ ...details, remedy: 'Start the server.' })];
  if (waits < longQueuedMs || isSomeRunning) return [];
  if (run.runnerPool !== localPool) {
    const remedy = 'Start a machine of its pool that has its tool; groundctl runners list shows them.';
    return [problem({ ...details, remedy })];
  }
  return [problem({ ...details, remedy: 'No other Run is running. Read the log of the server and restart it.' })];
}

function ofWaiting(run: Row, { clock, isServerRunning }: Examination): Finding[] {
  const late = clock.now() - (run.planExpiresAt ?? Number.POSITIVE_INFINITY);
  if (!isServerRunning || late < lateMs) return [];
  const message = 'This plan still waits for an approval after its expiry.';
  return [problem({ subject: run.id, message, remedy: 'It can no longer be applied. Restart the server to end it.' })];
}

/** Checks plans that wait for a person: their sealed file exists and has the reviewed digest. */
export const plansCheck: Check = {
  name: 'plans',
  needs: ['tables'],
  async examine({ clock, store, folders }) {
    const findings: Finding[] = [];
    for (const { id, digest, builtDigest } of store.listOpenPlans(clock.now())) {
      const folder = path.join(folders.runs, id);
      const fault =
        (await findPlanFault(path.join(folder, 'plan'), digest)) ??
        (builtDigest === null ? undefined : await findBuiltFault(builtArchive(folder, builtDigest), builtDigest));
      // It may have been applied or superseded, and its files deleted, since the list was read.
      if (fault !== undefined && store.isPlanOpen(id, clock.now())) findings.push(problem({ subject: id, ...fault }));
    }
    return atMost(findings, 'plans that cannot be applied');
  },
};

async function findPlanFault(file: string, digest: string | null) {
  if (digest === null) return { message: 'This plan has no seal, so it cannot be applied.', remedy: 'Plan again.' };
  const state = await hasDigest(file, digest);
  if (state === 'absent')
    return { message: 'The sealed file of this plan is missing, so it cannot be applied.', remedy: 'Plan again.' };
  if (state === 'same') return undefined;
  const message = 'The sealed file of this plan is not the one that was reviewed, so it cannot be applied.';
  return { message, remedy: 'Plan again, and find out who could write to the data folder.' };
}

async function findBuiltFault(file: string, digest: string) {
  const state = await hasDigest(file, digest);
  if (state === 'same') return undefined;
  const what = state === 'absent' ? 'are missing' : 'are not those that were reviewed';
  return { message: `The files built for this plan ${what}, so it cannot be applied.`, remedy: 'Plan again.' };
}

/** Checks for folders of Runs and Capsules that are not in the ledger. */
export const strayFoldersCheck: Check = {
  name: 'stray-folders',
  needs: ['tables'],
  examine({ folders, gc }) {
    const remedy = 'No action needed: it is deleted a day after its last change; a state in it is kept for 30 days.';
    const stray = (folder: string, isKnown: (id: string) => boolean, message: string) =>
      listFolder(folder)
        .filter((name) => !isKnown(name))
        .map((name) => note({ subject: path.join(folder, name), message, remedy }));
    return [
      ...atMost(
        stray(
          folders.runs,
          (name) => gc.findRun(runIdOfFolder(name)) !== undefined,
          'The ledger has no Run for this folder.',
        ),
        'folders of unknown Runs',
      ),
      ...atMost(
        stray(folders.capsules, (id) => gc.findCapsule(id) !== undefined, 'The ledger has no Capsule for this folder.'),
        'folders of unknown Capsules',
      ),
    ];
  },
};

/** Checks for processes that continue without a Run, and lock files of processes that ended. */
export const leftoversCheck: Check = {
  name: 'leftovers',
  needs: ['tables'],
  examine(examination) {
    const { folders } = examination;
    const findings = [
      ...listFolder(folders.runs).flatMap((name) => ofSupervisor(name, examination)),
      ...listFolder(folders.capsules).flatMap((id) => ofOccupant(id, examination)),
    ];
    return atMost(findings, 'leftovers');
  },
};

function ofSupervisor(name: string, { folders, store, clock }: Examination): Finding[] {
  if (!isSupervised(path.join(folders.runs, name))) return [];
  const run = store.findRun(runIdOfFolder(name));
  const isOver = run === undefined || (run.finishedAt !== null && clock.now() - run.finishedAt > partingMs);
  if (!isOver) return [];
  const message = 'The supervisor of this Run is still running, though the Run has ended.';
  return [problem({ subject: name, message, remedy: 'Read supervisor.json in its folder and end that process.' })];
}

function ofOccupant(capsuleId: string, { folders, store, isServerRunning }: Examination): Finding[] {
  const occupant = findOccupant(path.join(folders.capsules, capsuleId));
  if (occupant === undefined || occupant.isSupervised || store.isCapsuleRunning(capsuleId)) return [];
  const subject = path.join(folders.capsules, capsuleId);
  if (occupant.isToolAlive) {
    const message = `A command of the Run ${occupant.runId} still runs there without a supervisor.`;
    return [problem({ subject, message, remedy: 'Wait for its end, or end the process that owner.json names.' })];
  }
  const message = `The Run ${occupant.runId} did not release this folder; its processes have ended.`;
  const remedy = isServerRunning
    ? 'No action needed: the next Run takes over the folder.'
    : 'Start the server: it repairs this.';
  return [note({ subject, message, remedy })];
}
