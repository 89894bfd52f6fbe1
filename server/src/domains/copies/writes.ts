import type { Copy, CopyRevision } from '#shared/copies/contract';
import { type ReadPorts, toCopies } from './reads.ts';
import { revisionOf } from './records.ts';
import type { CopyRequests, Requested } from './requests.ts';

type Deps = Pick<ReadPorts, 'store' | 'requests' | 'findProgress'>;
type Answer = { copy: Copy; revision: CopyRevision; isNew: boolean };

/** The requests of people, answered with records. */
export function createCopyWrites({ store, requests, findProgress }: Deps) {
  const answerOf = ({ copy, revision, isNew }: Requested): Answer => ({
    copy: toCopies(store, [copy])[0] as Copy,
    revision: revisionOf(revision, findProgress(revision.id)),
    isNew,
  });
  return {
    create(...input: Parameters<CopyRequests['create']>): Answer {
      return answerOf(requests.create(...input));
    },
    createRevision(...input: Parameters<CopyRequests['createRevision']>): Answer {
      return answerOf(requests.createRevision(...input));
    },
    approve: (...input: Parameters<CopyRequests['approve']>): CopyRevision => revisionOf(requests.approve(...input)),
    cancel: (...input: Parameters<CopyRequests['cancel']>): CopyRevision => revisionOf(requests.cancel(...input)),
    delete: requests.delete,
  };
}
