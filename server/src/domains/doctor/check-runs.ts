import path from 'node:path';
import { builtArchive, findOccupant, isSupervised } from '#server/runner/index';
import { capsuleRunTypes, type RunType } from '#shared/runs/contract';
import type { Examination } from './examination.ts';
import { hasDigest, listFolder } from './files.ts';
import { atMost, type Check, type Finding, note, problem } from './finding.ts';

/** A server beats for every Run it looks after, six times in this time. */
const unheardMs = 60_000;
const longQueuedMs = 3_600_000;
const lateMs = 300_000;
/** Whoever writes that a Run has ended needs a moment to end too. */
const partingMs = 30_000;

type Row = ReturnType<Examination['store']['listByStatus']>[number];
const runsTool = (type: RunType): boolean => (capsuleRunTypes as readonly RunType[]).includes(type);

/** Runs that do not move. */
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
    return atMost(findings, 'Runs that do not move');
  },
};

function ofRunning(run: Row, { clock, isServerRunning, folders }: Examination): Finding[] {
  const subject = run.id;
  if (isServerRunning) {
    const silentMs = clock.now() - (run.heartbeatAt ?? run.startedAt ?? run.createdAt);
    if (silentMs < unheardMs) return [];
    const message = `Nobody has looked after this Run for ${Math.round(silentMs / 1_000)} seconds.`;
    return [problem({ subject, message, remedy: 'Start the server again: it takes up every Run that was running.' })];
  }
  if (runsTool(run.type) && isSupervised(path.join(folders.runs, run.id))) {
    const message = 'No server runs, and this Run goes on under its supervisor.';
    return [note({ subject, message, remedy: 'Start the server to hear how it ends.' })];
  }
  const message = 'This Run was running when its server ended, and nobody works on it.';
  return [
    problem({ subject, message, remedy: 'Start the server: it ends an apply truthfully and makes others again.' }),
  ];
}

function ofQueued(run: Row, isSomeRunning: boolean, { clock, isServerRunning }: Examination): Finding[] {
  const waits = clock.now() - run.createdAt;
  const message = `This Run has been queued for ${Math.round(waits / 60_000)} minutes.`;
  const details = { subject: run.id, message };
  if (!isServerRunning) return [note({ ...details, remedy: 'Start the server.' })];
  if (waits < longQueuedMs || isSomeRunning) return [];
  return [problem({ ...details, remedy: 'Nothing else runs. Look into the log of the server and start it again.' })];
}

function ofWaiting(run: Row, { clock, isServerRunning }: Examination): Finding[] {
  const late = clock.now() - (run.planExpiresAt ?? Number.POSITIVE_INFINITY);
  if (!isServerRunning || late < lateMs) return [];
  const message = 'This plan waits for an approval past its time.';
  return [
    problem({ subject: run.id, message, remedy: 'It can no longer be applied. Start the server again to end it.' }),
  ];
}

/** Plans that wait for a person: their sealed file is there and is the very one that was reviewed. */
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
      // Between the list and the look it may have been applied or overtaken, and collected.
      if (fault !== undefined && store.isPlanOpen(id, clock.now())) findings.push(problem({ subject: id, ...fault }));
    }
    return atMost(findings, 'plans that cannot be applied');
  },
};

async function findPlanFault(file: string, digest: string | null) {
  if (digest === null) return { message: 'This plan has no seal, so it is never applied.', remedy: 'Plan again.' };
  const state = await hasDigest(file, digest);
  if (state === 'absent')
    return { message: 'The sealed file of this plan is not there, so it cannot be applied.', remedy: 'Plan again.' };
  if (state === 'same') return undefined;
  const message = 'The sealed file of this plan is not the one that was reviewed, so it is never applied.';
  return { message, remedy: 'Plan again, and find out who could write to the data folder.' };
}

async function findBuiltFault(file: string, digest: string) {
  const state = await hasDigest(file, digest);
  if (state === 'same') return undefined;
  const what = state === 'absent' ? 'is not there' : 'is not what was reviewed';
  return { message: `What was built for this plan ${what}, so it is never applied.`, remedy: 'Plan again.' };
}

/** Folders of Runs and of Capsules that the ledger does not know. */
export const strayFoldersCheck: Check = {
  name: 'stray-folders',
  needs: ['tables'],
  examine({ folders, gc }) {
    const remedy = 'Nothing: a day after its last change it is collected; a state that lies in it stays 30 days.';
    const stray = (folder: string, isKnown: (id: string) => boolean, message: string) =>
      listFolder(folder)
        .filter((name) => !isKnown(name))
        .map((name) => note({ subject: path.join(folder, name), message, remedy }));
    return [
      ...atMost(
        stray(folders.runs, (id) => gc.findRun(id) !== undefined, 'The ledger knows no Run of this folder.'),
        'folders of unknown Runs',
      ),
      ...atMost(
        stray(
          folders.capsules,
          (id) => gc.findCapsule(id) !== undefined,
          'The ledger knows no Capsule of this folder.',
        ),
        'folders of unknown Capsules',
      ),
    ];
  },
};

/** Processes of ours that go on without a Run, and marks of some that are gone. */
export const leftoversCheck: Check = {
  name: 'leftovers',
  needs: ['tables'],
  examine(examination) {
    const { folders } = examination;
    const findings = [
      ...listFolder(folders.runs).flatMap((id) => ofSupervisor(id, examination)),
      ...listFolder(folders.capsules).flatMap((id) => ofOccupant(id, examination)),
    ];
    return atMost(findings, 'leftovers');
  },
};

function ofSupervisor(id: string, { folders, store, clock }: Examination): Finding[] {
  if (!isSupervised(path.join(folders.runs, id))) return [];
  const run = store.findRun(id);
  const isOver = run === undefined || (run.finishedAt !== null && clock.now() - run.finishedAt > partingMs);
  if (!isOver) return [];
  const message = 'The supervisor of this Run still lives, though the Run has ended.';
  return [problem({ subject: id, message, remedy: 'Look into supervisor.json of its folder and end that process.' })];
}

function ofOccupant(capsuleId: string, { folders, store, isServerRunning }: Examination): Finding[] {
  const occupant = findOccupant(path.join(folders.capsules, capsuleId));
  if (occupant === undefined || occupant.isSupervised || store.isCapsuleRunning(capsuleId)) return [];
  const subject = path.join(folders.capsules, capsuleId);
  if (occupant.isToolAlive) {
    const message = `A command of the Run ${occupant.runId} still runs there, and nobody watches it.`;
    return [problem({ subject, message, remedy: 'Wait for its end, or end the process that owner.json names.' })];
  }
  const message = `The Run ${occupant.runId} did not leave this folder in order; its processes are gone.`;
  const remedy = isServerRunning
    ? 'Nothing: the next Run takes the folder over.'
    : 'Start the server: it puts this right.';
  return [note({ subject, message, remedy })];
}
