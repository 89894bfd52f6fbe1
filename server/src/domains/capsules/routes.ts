import { AppError } from '#server/kernel/errors';
import { actorOf, type Caller, type Mount, ok } from '#server/kernel/http/index';
import { capsulesApi } from '#shared/capsules/api';
import type { CapsulesService } from './service.ts';

export const capsulesRoutes = (mount: Mount, capsules: CapsulesService): void =>
  mount(capsulesApi, {
    listCapsules: ({ params, query }) => ok(capsules.listCapsules(params.workspaceId, query)),
    getCapsule: ({ params }) => ok(capsules.getGuarded(params.capsuleId)),
    updateCapsule: ({ params, body, caller }) => {
      if (body.writablePaths !== undefined && !isOwner(caller))
        throw new AppError('forbidden', 'Only an owner of the Workspace lets a module write outside its folder.');
      return () => ok({ capsule: capsules.change(params.capsuleId, body, actorOf(caller)) });
    },
    holdCapsule:
      ({ params, body, caller }) =>
      () =>
        ok({ capsule: capsules.hold(params.capsuleId, body, actorOf(caller)) }),
    releaseCapsule:
      ({ params, caller }) =>
      () =>
        ok({ capsule: capsules.release(params.capsuleId, actorOf(caller)) }),
  });

const isOwner = ({ principal, roles }: Caller): boolean => principal.kind === 'operator' || roles.includes('owner');
