import { AppError } from '#server/kernel/errors';
import type { Copy, CopyRevision } from '#shared/copies/contract';
import type { CopyMaker } from './maker.ts';
import { type ReadPorts, toCopies } from './reads.ts';
import { revisionOf } from './records.ts';
import type { CopyRequests, Requested } from './requests.ts';

type Deps = Pick<ReadPorts, 'store' | 'requests' | 'findProgress'> & { maker: Pick<CopyMaker, 'isAvailable'> };
type Answer = { copy: Copy; revision: CopyRevision; isNew: boolean };

/** The requests of people, answered with records. */
export function createCopyWrites({ store, requests, findProgress, maker }: Deps) {
  const answerOf = ({ copy, revision, isNew }: Requested): Answer => ({
    copy: toCopies(store, [copy])[0] as Copy,
    revision: revisionOf(revision, findProgress(revision.id)),
    isNew,
  });
  function requireMaker(): void {
    if (!maker.isAvailable)
      throw new AppError(
        'capability_not_available',
        'This version of the server does not make installable copies yet.',
      );
  }

  return {
    create(...input: Parameters<CopyRequests['create']>): Answer {
      requireMaker();
      return answerOf(requests.create(...input));
    },
    createRevision(...input: Parameters<CopyRequests['createRevision']>): Answer {
      requireMaker();
      return answerOf(requests.createRevision(...input));
    },
    approve: (...input: Parameters<CopyRequests['approve']>): CopyRevision => revisionOf(requests.approve(...input)),
    cancel: (...input: Parameters<CopyRequests['cancel']>): CopyRevision => revisionOf(requests.cancel(...input)),
    delete: requests.delete,
  };
}
