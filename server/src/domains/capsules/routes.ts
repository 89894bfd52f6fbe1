import { actorOf, type Mount, ok } from '#server/kernel/http/index';
import { capsulesApi } from '#shared/capsules/api';
import type { CapsulesService } from './service.ts';

export const capsulesRoutes = (mount: Mount, capsules: CapsulesService): void =>
  mount(capsulesApi, {
    listCapsules: ({ params, query }) => ok(capsules.listCapsules(params.workspaceId, query)),
    getCapsule: ({ params }) => ok(capsules.getGuarded(params.capsuleId)),
    updateCapsule:
      ({ params, body, caller }) =>
      () =>
        ok({ capsule: capsules.change(params.capsuleId, body, actorOf(caller)) }),
  });
