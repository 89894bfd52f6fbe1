import { requireCreator } from '#server/domains/install-plans/index';
import { accepted, actorOf, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { revisionPlansApi } from '#shared/revision-plans/api';
import type { RevisionPlansService } from './service.ts';

export const revisionPlansRoutes = (mount: Mount, revisionPlans: RevisionPlansService): void =>
  mount(revisionPlansApi, {
    createRevisionPlan: ({ params: { capsuleId }, body: { ref, ...rest }, caller }) => {
      nothingLeft(rest);
      if (!mayWrite(caller)) revisionPlans.requireOwnLane(capsuleId, ref);
      const input = { capsuleId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', ref };
      return () => {
        const { answer, isNew } = revisionPlans.create(input);
        return isNew ? created(answer) : ok(answer);
      };
    },
    getRevisionPlan: ({ params }) => ok(revisionPlans.getAnswer(params.revisionPlanId)),
    reconcileRevisionPlan: async ({ params, caller }) => {
      requireCreator(caller, revisionPlans.getCreator(params.revisionPlanId));
      const commit = await revisionPlans.advance(params.revisionPlanId, actorOf(caller));
      return () => {
        const { answer, waits } = commit();
        return waits ? accepted(answer, { 'retry-after': '1' }) : ok(answer);
      };
    },
    cancelRevisionPlan: ({ params, caller }) => {
      requireCreator(caller, revisionPlans.getCreator(params.revisionPlanId));
      return () => ok(revisionPlans.cancel(params.revisionPlanId, actorOf(caller)));
    },
  });
