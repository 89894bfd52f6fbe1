import type { ToolManager } from '#server/domains/execution/index';
import { AppError } from '#server/kernel/errors';
import {
  accepted,
  actorOf,
  type Caller,
  created,
  type Handlers,
  type Mount,
  mayWrite,
  ok,
} from '#server/kernel/http/index';
import { type CreateInstallPlan, coordinatorsApi } from '#shared/install-plans/api';
import type { ConfigurationPlans } from '../configuration-plans/service.ts';
import type { ReAdoptions } from '../re-adoptions/service.ts';
import type { RevisionPlans } from '../revision-plans/service.ts';
import type { CoordinatorsService } from './service.ts';

type Parts = {
  coordinators: CoordinatorsService;
  configurations: ConfigurationPlans;
  revisions: RevisionPlans;
  reAdoptions: ReAdoptions;
  toolManager: Pick<ToolManager, 'require'>;
};

/** Refuses Connections and build commands in a member's proposal. */
function requireProposable(caller: Caller, { source, options, initialConfiguration }: CreateInstallPlan): void {
  if (mayWrite(caller)) return;
  if (source.authConnectionId !== undefined || (options?.providerBindings ?? []).length > 0)
    throw new AppError('forbidden', 'Your role does not let you use Connections. Ask an owner or admin.');
  if (initialConfiguration !== undefined)
    throw new AppError(
      'forbidden',
      'Your role does not let you set what is built before a plan. Ask an owner or admin.',
    );
}

/** A caller that may only propose can advance and cancel only records it created. */
function requireOwn(caller: Caller, createdBy: string): void {
  if (caller.roles.some((role) => role === 'owner' || role === 'admin') || createdBy === actorOf(caller)) return;
  throw new AppError('forbidden', 'Your role lets you advance or cancel only what you started yourself.');
}

export const coordinatorsRoutes = (mount: Mount, parts: Parts): void =>
  mount(coordinatorsApi, { ...installHandlers(parts), ...changeHandlers(parts) });

type Handled = Handlers<typeof coordinatorsApi>;

const installHandlers = ({
  coordinators,
}: Parts): Pick<
  Handled,
  'createInstallPlan' | 'listInstallPlans' | 'getInstallPlan' | 'reconcileInstallPlan' | 'cancelInstallPlan'
> => ({
  createInstallPlan: ({ params, body, caller }) => {
    requireProposable(caller, body);
    return () => {
      const input = {
        workspaceId: params.workspaceId,
        actorId: actorOf(caller),
        key: caller.idempotencyKey ?? '',
        body,
      };
      const { answer, isNew } = coordinators.create(input);
      return isNew ? created(answer) : ok(answer);
    };
  },
  listInstallPlans: ({ params, query }) => ok(coordinators.listPlans(params.workspaceId, query)),
  getInstallPlan: ({ params }) => ok(coordinators.getAnswer(params.installPlanId)),
  reconcileInstallPlan: async ({ params, caller }) => {
    requireOwn(caller, coordinators.getCreator(params.installPlanId));
    const commit = await coordinators.advance(params.installPlanId, actorOf(caller));
    return () => {
      const { answer, waits } = commit();
      return waits ? accepted(answer, { 'retry-after': '1' }) : ok(answer);
    };
  },
  cancelInstallPlan: ({ params, caller }) => {
    requireOwn(caller, coordinators.getCreator(params.installPlanId));
    return () => ok(coordinators.cancel(params.installPlanId, actorOf(caller)));
  },
});

const changeHandlers = ({
  configurations,
  revisions,
  reAdoptions,
  toolManager,
}: Parts): Pick<
  Handled,
  | 'planConfiguration'
  | 'reAdopt'
  | 'createRevisionPlan'
  | 'getRevisionPlan'
  | 'reconcileRevisionPlan'
  | 'cancelRevisionPlan'
> => ({
  planConfiguration: async ({ params, body, caller }) => {
    const input = { capsuleId: params.capsuleId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', body };
    // A repeated request is answered also when the tool is no longer available.
    const planned = configurations.findPlanned(input);
    if (planned) return () => ok(planned);
    const { tool } = await toolManager.require();
    return () => {
      const { answer, isNew } = configurations.plan({ ...input, tool });
      return isNew ? created(answer) : ok(answer);
    };
  },
  reAdopt:
    ({ params, body, caller }) =>
    () =>
      ok(
        reAdoptions.adopt({
          capsuleId: params.capsuleId,
          actorId: actorOf(caller),
          key: caller.idempotencyKey ?? '',
          body,
        }),
      ),
  createRevisionPlan: ({ params, body, caller }) => {
    if (!mayWrite(caller)) revisions.requireOwnLane(params.capsuleId, body.ref);
    const input = { capsuleId: params.capsuleId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', ...body };
    return () => {
      const { answer, isNew } = revisions.create(input);
      return isNew ? created(answer) : ok(answer);
    };
  },
  getRevisionPlan: ({ params }) => ok(revisions.getAnswer(params.revisionPlanId)),
  reconcileRevisionPlan: async ({ params, caller }) => {
    requireOwn(caller, revisions.getCreator(params.revisionPlanId));
    const commit = await revisions.advance(params.revisionPlanId, actorOf(caller));
    return () => {
      const { answer, waits } = commit();
      return waits ? accepted(answer, { 'retry-after': '1' }) : ok(answer);
    };
  },
  cancelRevisionPlan: ({ params, caller }) => {
    requireOwn(caller, revisions.getCreator(params.revisionPlanId));
    return () => ok(revisions.cancel(params.revisionPlanId, actorOf(caller)));
  },
});
