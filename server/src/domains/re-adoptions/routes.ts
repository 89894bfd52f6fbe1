import { actorOf, type Mount, ok } from '#server/kernel/http/index';
import { reAdoptionsApi } from '#shared/re-adoptions/api';
import type { ReAdoptionsService } from './service.ts';

export const reAdoptionsRoutes = (mount: Mount, reAdoptions: ReAdoptionsService): void =>
  mount(reAdoptionsApi, {
    reAdopt: ({ params, body, caller }) => {
      const input = { capsuleId: params.capsuleId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', body };
      return () => ok(reAdoptions.adopt(input));
    },
  });
