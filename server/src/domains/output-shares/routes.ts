import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { outputSharesApi } from '#shared/output-shares/api';
import type { OutputSharesService } from './service.ts';

export const outputSharesRoutes = (mount: Mount, shares: OutputSharesService): void =>
  mount(outputSharesApi, {
    listShares: ({ query: { workspaceId, ...page } }) => ok(shares.list(workspaceId, page)),
    createShare:
      ({ body, caller }) =>
      () =>
        created({ share: shares.create(body, actorOf(caller)) }),
    approveShare:
      ({ params, caller }) =>
      () =>
        ok({ share: shares.approve(params.shareId, actorOf(caller)) }),
    revokeShare:
      ({ params, caller }) =>
      () =>
        ok({ share: shares.revoke(params.shareId, actorOf(caller)) }),
  });
