import { AppError } from '#server/kernel/errors';
import { actorOf, type Caller, type Mount, noContent, ok } from '#server/kernel/http/index';
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
    listFavorites: ({ params, caller }) =>
      ok({ capsules: capsules.listFavorites(actorOf(caller), params.workspaceId) }),
    addFavorite:
      ({ params, caller }) =>
      () => {
        capsules.addFavorite(accountOf(caller), params.capsuleId);
        return noContent();
      },
    removeFavorite:
      ({ params, caller }) =>
      () => {
        capsules.removeFavorite(accountOf(caller), params.capsuleId);
        return noContent();
      },
  });

/** Favorites belong to the screen of a person, so a token of that account does not change them. */
function accountOf({ principal }: Caller): string {
  if (principal.kind !== 'session')
    throw new AppError('forbidden', 'Favorites belong to a signed-in account. Sign in to change them.');
  return principal.subject;
}

const isOwner = ({ principal, roles }: Caller): boolean => principal.kind === 'operator' || roles.includes('owner');
