import { failedPrecondition, notFound } from '#server/kernel/errors';
import { copyUnchanged, type UpstreamCheck } from '#shared/copies/contract';
import { copyLimits } from '#shared/limits';
import { CopyError, type CopyMaker } from './maker.ts';
import type { CopiesStore, RevisionRow } from './store.ts';
import { upstreamOf } from './work.ts';

type Deps = {
  store: Pick<CopiesStore, 'findCopy' | 'findRevision' | 'findNewestRevision'>;
  maker: Pick<CopyMaker, 'check'>;
};

/**
 * Compares the current revision of a copy with what its repository and packages resolve to now. Concurrent requests for
 * one copy share a check, and its time is bounded.
 */
export function createUpstreamCheck(deps: Deps): (copyId: string) => Promise<UpstreamCheck> {
  const running = new Map<string, Promise<UpstreamCheck>>();
  return (copyId) => {
    const check = running.get(copyId) ?? checkCopy(deps, copyId).finally(() => running.delete(copyId));
    running.set(copyId, check);
    return check;
  };
}

async function checkCopy({ store, maker }: Deps, copyId: string): Promise<UpstreamCheck> {
  const copy = store.findCopy(copyId);
  if (!copy) throw notFound('copy');
  const current = copy.currentRevisionId === null ? undefined : store.findRevision(copy.currentRevisionId);
  if (!current?.upstreamCommit)
    throw failedPrecondition('copy_not_ready', 'The copy has no content yet. Approve its first revision.');
  const { workspaceId } = copy;
  const upstreamCommit = unchangedCommit(store.findNewestRevision(copyId)) ?? current.upstreamCommit;
  const { packages = [], calls = [] } = current.review ?? {};
  const signal = AbortSignal.timeout(copyLimits.checkSeconds * 1_000);
  try {
    return await maker.check({ workspaceId, upstream: upstreamOf(copy), upstreamCommit, packages, calls, signal });
  } catch (error) {
    if (error instanceof CopyError)
      throw failedPrecondition('copy_upstream_unavailable', error.message, { errorCode: error.code });
    if (!signal.aborted) throw error;
    throw failedPrecondition(
      'copy_upstream_unavailable',
      'The repository and the packages did not answer in time. Try again later.',
      { errorCode: 'copy_timed_out' },
    );
  }
}

/** Returns the commit of the repository whose content an update found to be that of the copy. */
const unchangedCommit = (newest: RevisionRow | undefined): string | undefined =>
  newest?.error?.code === copyUnchanged ? (newest.upstreamCommit ?? undefined) : undefined;
