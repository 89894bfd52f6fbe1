import { AppError } from '#server/kernel/errors';
import { accepted, actorOf, type Caller, created, type Mount, mayWrite, ok } from '#server/kernel/http/index';
import { type CreateInstallPlan, installPlansApi } from '#shared/install-plans/api';
import type { InstallPlansService } from './service.ts';

/** Refuses Connections, build commands and Dependencies in a member's proposal: the route of each is closed to that role too. */
function requireProposable(
  caller: Caller,
  { source, options, initialConfiguration, dependencies = [] }: CreateInstallPlan,
): void {
  if (mayWrite(caller)) return;
  if (source.authConnectionId !== undefined || (options?.providerBindings ?? []).length > 0)
    throw new AppError('forbidden', 'Your role does not let you use Connections. Ask an owner or admin.');
  if (initialConfiguration !== undefined)
    throw new AppError(
      'forbidden',
      'Your role does not let you set what is built before a plan. Ask an owner or admin.',
    );
  if (dependencies.length > 0)
    throw new AppError(
      'forbidden',
      'Your role does not let you use Outputs of another Capsule. Ask an owner or admin.',
    );
}

/** A caller that may only propose can advance and cancel only plans it created. */
export function requireCreator(caller: Caller, createdBy: string): void {
  if (caller.roles.some((role) => role === 'owner' || role === 'admin') || createdBy === actorOf(caller)) return;
  throw new AppError(
    'forbidden',
    'Your role lets you advance or cancel only installations that you started. Ask an owner or admin.',
  );
}

export const installPlansRoutes = (mount: Mount, installPlans: InstallPlansService): void =>
  mount(installPlansApi, {
    createInstallPlan: ({ params, body, caller }) => {
      requireProposable(caller, body);
      return () => {
        const { workspaceId } = params;
        const input = { workspaceId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', body };
        const { answer, isNew } = installPlans.create(input);
        return isNew ? created(answer) : ok(answer);
      };
    },
    listInstallPlans: ({ params, query }) => ok(installPlans.listPlans(params.workspaceId, query)),
    getInstallPlan: ({ params }) => ok(installPlans.getAnswer(params.installPlanId)),
    reconcileInstallPlan: async ({ params, caller }) => {
      requireCreator(caller, installPlans.getCreator(params.installPlanId));
      const commit = await installPlans.advance(params.installPlanId, actorOf(caller));
      return () => {
        const { answer, waits } = commit();
        return waits ? accepted(answer, { 'retry-after': '1' }) : ok(answer);
      };
    },
    cancelInstallPlan: ({ params, caller }) => {
      requireCreator(caller, installPlans.getCreator(params.installPlanId));
      return () => ok(installPlans.cancel(params.installPlanId, actorOf(caller)));
    },
  });
