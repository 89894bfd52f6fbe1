import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { type Git, GitError } from '#server/drivers/git/index';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import { required } from '#server/kernel/required';
import type { WorkGate } from '#server/kernel/work-gate';
import { copyUnchanged } from '#shared/copies/contract';
import type { RevisionWork } from './coordinator.ts';
import { type CopyFolders, copyRepository, removeWorkFolder, workFolder } from './folders.ts';
import { type CopyContent, CopyError, type CopyMaker } from './maker.ts';
import type { MovePorts, RevisionMoves } from './moves.ts';
import { branchCommit, publishCommit } from './repository.ts';
import { reviewOf } from './review.ts';
import type { CopyRow, RevisionHead } from './store.ts';

export type WorkPorts = Pick<MovePorts, 'db' | 'clock' | 'store'> & {
  workGate: WorkGate;
  log: Log;
  git: Pick<Git, 'listFiles'>;
  moves: RevisionMoves;
  maker: CopyMaker;
  folders: CopyFolders;
  sources: Pick<SourcesService, 'createOfCopy' | 'findWorkspace' | 'getSource' | 'requestSync'>;
  workspaces: Pick<WorkspacesService, 'isLive'>;
};
type Revision = { head: RevisionHead; copy: CopyRow };
type Job = Parameters<RevisionWork>[1];

const contentChanged = () =>
  new CopyError(
    'copy_content_changed',
    'A package or the repository has changed since the review, so the approved content cannot be made again. Prepare the copy again.',
  );
const unchanged = () =>
  new CopyError(
    copyUnchanged,
    'The repository and all packages are those of the copy already, so there is nothing to update.',
  );

/** Works on one revision: fetches its content for the review, or publishes the approved commit. */
export function createRevisionWork(ports: WorkPorts): RevisionWork {
  const { store, folders } = ports;
  return async (head, job) => {
    const revision = { head, copy: required(store.findCopy(head.copyId), 'copy of the revision') };
    try {
      if (head.status === 'preparing') return await prepare(ports, revision, job);
      await publish(ports, revision, job);
    } catch (error) {
      // An interrupted making is continued from its folder by the next start.
      if (head.status !== 'making' || !job.signal.aborted) await removeWorkFolder(folders, head.id);
      throw error;
    }
    requireOpen(ports.workGate);
    finish(ports, revision);
    await removeWorkFolder(folders, head.id);
  };
}

/** Throws while the gate is closed, which leaves the revision as it is. */
function requireOpen(workGate: WorkGate): void {
  if (!workGate.mayAct()) throw new Error('This server may not act now.');
}

async function makeContent({ maker, store, folders }: WorkPorts, { head, copy }: Revision, job: Job) {
  await removeWorkFolder(folders, head.id);
  job.signal.throwIfAborted();
  const folder = workFolder(folders, head.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const current = copy.currentRevisionId === null ? undefined : store.findRevision(copy.currentRevisionId);
  return maker.make({
    ...job,
    workspaceId: copy.workspaceId,
    copyId: copy.id,
    upstream: upstreamOf(copy),
    upstreamCommit: head.upstreamCommit ?? undefined,
    modulePath: copy.modulePath ?? undefined,
    parent: current?.commit ?? undefined,
    previous: current?.review?.packages ?? [],
    folder,
  });
}

export const upstreamOf = ({ upstreamUrl, upstreamRef, upstreamPath, authConnectionId }: CopyRow) => ({
  url: upstreamUrl,
  ref: upstreamRef,
  path: upstreamPath,
  connectionId: authConnectionId ?? undefined,
});

/** Fetches the content of a revision and offers it for the review. */
async function prepare(ports: WorkPorts, revision: Revision, job: Job): Promise<void> {
  const { store, git, moves } = ports;
  const { head, copy } = revision;
  const content = await makeContent(ports, revision, job);
  failpoint('copy.prepared');
  const before = copy.currentRevisionId === null ? undefined : store.findRevision(copy.currentRevisionId);
  const previous =
    before?.commit && before.review
      ? {
          packages: before.review.packages,
          files: new Map(
            await git.listFiles({ folder: copyRepository(ports.folders, copy.id), ref: before.commit }, job.signal),
          ),
        }
      : undefined;
  job.signal.throwIfAborted();
  const review = reviewOf(content, previous);
  const { packages = [], files = [] } = review.difference ?? {};
  const { commit, upstreamCommit } = content;
  requireOpen(ports.workGate);
  if (review.difference && packages.length === 0 && files.length === 0) {
    // A later look for updates compares with this commit.
    ports.db.write(() => store.moveRevision(head.id, 'preparing', { upstreamCommit }));
    throw unchanged();
  }
  moves.move(head.id, 'prepare', { set: { commit, upstreamCommit, review } });
}

/** Moves the approved commit into the repository of the copy, unless an interrupted work did. */
async function publish(ports: WorkPorts, revision: Revision, job: Job): Promise<void> {
  const { head, copy } = revision;
  const target = copyRepository(ports.folders, copy.id);
  const approved = required(head.commit, 'commit of the revision');
  if (branchCommit(target) === approved) return;
  const prepared = path.join(workFolder(ports.folders, head.id), preparedRepository);
  const content: Pick<CopyContent, 'commit' | 'repository'> =
    branchCommit(prepared) === approved
      ? { commit: approved, repository: prepared }
      : await makeContent(ports, revision, job);
  if (content.commit !== approved) throw contentChanged();
  requireOpen(ports.workGate);
  failpoint('copy.publish');
  await publishCommit(content, target, job.signal);
  failpoint('copy.published');
}

/** Records the new content, creates the Source at the first time, and requests its sync. */
function finish({ db, store, moves, sources, workspaces }: WorkPorts, { head, copy }: Revision): void {
  const { workspaceId } = copy;
  db.write(() => {
    const row = store.findRevision(head.id);
    const actorId = row?.approvedBy ?? copy.createdBy;
    const metadata = { commit: row?.commit, packageCount: row?.review?.packages.length };
    if (!moves.move(head.id, 'finish', { action: 'copy.revision_made', actorId, metadata })) return;
    const existing = copy.sourceId !== null && sources.findWorkspace(copy.sourceId) !== undefined;
    const sourceId =
      existing && copy.sourceId !== null
        ? copy.sourceId
        : sources.createOfCopy({ workspaceId, name: copy.name, copyId: copy.id }, actorId);
    store.updateCopy(copy.id, { currentRevisionId: head.id, sourceId });
    if (workspaces.isLive(workspaceId) && sources.getSource(sourceId).status !== 'disabled')
      sources.requestSync(sourceId, { intent: 'observe', actorId });
    failpoint('copy.finish');
  });
  failpoint('copy.finished');
}

/** Name of the repository with the prepared commit, below the folder of a revision. */
export const preparedRepository = 'repository.git';

const unexpected = {
  code: 'copy_failed',
  message: 'The copy could not be made. The log of the server has the details.',
};
const late = {
  code: 'copy_timed_out',
  message: 'The copy took longer than it may. Try again, or choose one module instead of all.',
};

/** Returns the code and sentence of a failure for a person; undefined when it was not expected. */
function failureOf(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof CopyError || error instanceof GitError) return { code: error.code, message: error.message };
  return error instanceof Error && error.name === 'TimeoutError' ? late : undefined;
}

/** Ends a revision whose work rejected. One that was cancelled has ended already. */
export const createRevisionFailure =
  ({ moves, log }: Pick<WorkPorts, 'moves' | 'log'>) =>
  ({ id }: RevisionHead, error: unknown): void => {
    const known = failureOf(error);
    const failure = known ?? unexpected;
    const isNew = moves.move(id, 'fail', {
      set: { error: failure },
      action: 'copy.revision_failed',
      metadata: { errorCode: failure.code },
    });
    if (isNew && !known) log.error({ revisionId: id, ...faultFields(error) }, 'a copy could not be made');
  };
