import { actorOf, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { copiesApi } from '#shared/copies/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { CopiesService } from './service.ts';

type Answer = ReturnType<CopiesService['create']>;
const answerOf = ({ isNew, ...body }: Answer) => (isNew ? created(body) : ok(body));

export const copiesRoutes = (mount: Mount, copies: CopiesService): void =>
  mount(copiesApi, {
    listCopies: ({ params, query }) => ok(copies.listCopies(params.workspaceId, query)),
    createCopy:
      ({ params, body, caller }) =>
      () =>
        answerOf(copies.create(params.workspaceId, body, actorOf(caller))),
    getCopy: ({ params }) => ok({ copy: copies.getCopy(params.copyId) }),
    deleteCopy:
      ({ params, caller }) =>
      () => {
        copies.delete(params.copyId, actorOf(caller));
        return noContent();
      },
    checkCopyUpstream: async ({ params }) => ok(await copies.checkUpstream(params.copyId)),
    listCopyRevisions: ({ params, query }) => ok(copies.listRevisions(params.copyId, query)),
    createCopyRevision:
      ({ params, caller }) =>
      () =>
        answerOf(copies.createRevision(params.copyId, actorOf(caller))),
    getCopyRevision: ({ params }) => ok({ revision: copies.getRevision(params.copyId, params.revisionId) }),
    approveCopyRevision:
      ({ params, body: { reviewDigest, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        const approval = { reviewDigest, actorId: actorOf(caller) };
        return ok({ revision: copies.approve(params.copyId, params.revisionId, approval) });
      },
    cancelCopyRevision:
      ({ params, caller }) =>
      () =>
        ok({ revision: copies.cancel(params.copyId, params.revisionId, actorOf(caller)) }),
    downloadCopy: ({ params }) => copies.download(params.copyId),
  });
