import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { sharesApi } from '#shared/shares/api';
import type { SharesService } from './service.ts';

export const sharesRoutes = (mount: Mount, shares: SharesService): void =>
  mount(sharesApi, {
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
