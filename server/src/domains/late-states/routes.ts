import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { lateStatesApi } from '#shared/late-states/api';
import type { LateStatesService } from './service.ts';

export const lateStatesRoutes = (mount: Mount, lateStates: LateStatesService): void =>
  mount(lateStatesApi, {
    listLateStates: ({ params, query }) => ok(lateStates.listLateStates(params.capsuleId, query)),
    adoptLateState:
      ({ params, body, caller }) =>
      () => {
        const { isNew, ...adopted } = lateStates.adopt(params.lateStateId, { body, actorId: actorOf(caller) });
        return isNew ? created(adopted) : ok(adopted);
      },
    dismissLateState:
      ({ params, caller }) =>
      () =>
        ok({ lateState: lateStates.dismiss(params.lateStateId, actorOf(caller)) }),
  });
