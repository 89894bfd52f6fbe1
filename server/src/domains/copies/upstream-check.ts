import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { UpstreamCheck } from '#shared/copies/contract';
import { CopyError, type CopyMaker } from './maker.ts';
import type { CopiesStore } from './store.ts';
import { upstreamOf } from './work.ts';

type Deps = { store: Pick<CopiesStore, 'findCopy' | 'findRevision'>; maker: Pick<CopyMaker, 'check'> };

/** Compares the current revision of a copy with what its repository and packages resolve to now. */
export const createUpstreamCheck =
  ({ store, maker }: Deps) =>
  async (copyId: string): Promise<UpstreamCheck> => {
    const copy = store.findCopy(copyId);
    if (!copy) throw notFound('copy');
    const current = copy.currentRevisionId === null ? undefined : store.findRevision(copy.currentRevisionId);
    if (!current?.upstreamCommit)
      throw failedPrecondition('copy_not_ready', 'The copy has no content yet. Approve its first revision.');
    const { workspaceId } = copy;
    const { upstreamCommit, review } = current;
    const { packages = [], calls = [] } = review ?? {};
    try {
      const upstream = upstreamOf(copy);
      return await maker.check({ workspaceId, upstream, upstreamCommit, packages, calls });
    } catch (error) {
      if (!(error instanceof CopyError)) throw error;
      throw failedPrecondition('copy_upstream_unavailable', error.message, { errorCode: error.code });
    }
  };
