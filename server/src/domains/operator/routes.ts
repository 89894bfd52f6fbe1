import type { ActivityService, AuditRow } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { FeedReader, RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { isoTime } from '#server/kernel/clock';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { actorOf, type Caller, created, type Handlers, type Mount, noContent, ok } from '#server/kernel/http/index';
import type { Capsule } from '#shared/capsules/contract';
import type { CommitCapsule } from '#shared/install-plans/commit-capsule';
import { operatorRoutesApi } from '#shared/operator/api';
import type { AuditRecord } from '#shared/operator/contract';
import type { Run } from '#shared/runs/contract';
import type { OperatorConfigs } from './config-edits.ts';
import { createRunRequests, type RunRequestDeps } from './run-requests.ts';

type Parts = RunRequestDeps & {
  workspaces: WorkspacesService;
  capsules: CapsulesService;
  states: StateVersionsService;
  runs: RunsService;
  feed: FeedReader;
  activity: Pick<ActivityService, 'listTrail'>;
  commitCapsule: (body: CommitCapsule, actorId: string) => Capsule;
  operatorConfigs: OperatorConfigs;
  cancel: (id: string, caller: Caller, body: { interrupt?: boolean | undefined }) => Run;
};

/** The operator's routes to the domains. All decisions remain in the domains and are the same for every caller. */
export function operatorRoutes(mount: Mount, parts: Parts): void {
  const { workspaces, capsules, states, runs, feed, activity } = parts;
  const requestRun = createRunRequests(parts);

  mount(operatorRoutesApi, {
    createProjectAsOperator:
      ({ body: { workspaceId, ...project }, caller }) =>
      () =>
        created({ project: workspaces.createProject(workspaceId, project, actorOf(caller)) }),
    getProjectAsOperator: ({ params }) => ok({ project: workspaces.getProject(params.projectId) }),

    commitCapsule:
      ({ body, caller }) =>
      () =>
        created({ capsule: parts.commitCapsule(body, actorOf(caller)) }),
    listCapsulesAsOperator: ({ query: { workspaceId, ...query } }) => ok(capsules.listCapsules(workspaceId, query)),
    getCapsuleAsOperator: ({ params }) => ok(capsules.getGuarded(params.capsuleId)),
    updateCapsuleAsOperator:
      ({ params: { capsuleId }, body: { disabled, ...patch }, caller }) =>
      () => {
        const changes = Object.values(patch).some((value) => value !== undefined);
        if (disabled === undefined && !changes)
          throw invalidArgument('empty_patch', 'Name at least one field to change.');
        if (disabled !== undefined) capsules.setDisabled(capsuleId, disabled, actorOf(caller));
        if (changes) capsules.change(capsuleId, patch, actorOf(caller));
        return ok({ capsule: capsules.getCapsule(capsuleId) });
      },
    getOutputsAsOperator: ({ params }) => ok({ output: states.getCurrentOutput(params.capsuleId) }),
    listStateVersionsAsOperator: ({ params, query }) => ok(states.listStateVersions(params.capsuleId, query)),

    requestRun: async ({ body, caller }) => {
      const request = await requestRun(body, actorOf(caller));
      return () => {
        const { run, isNew } = request();
        return isNew ? created({ run }) : ok({ run });
      };
    },
    getRunAsOperator: ({ params }) => ok({ run: runs.getRun(params.runId) }),
    getRunLogsAsOperator: ({ params, query, caller }) =>
      caller.accept.includes('text/plain') ? feed.text(params.runId) : ok(feed.logs(params.runId, query)),
    approveRunAsOperator:
      ({ params, body, caller }) =>
      () =>
        ok({ run: parts.plans.approve(params.runId, { actorId: actorOf(caller), reason: body.reason }) }),
    cancelRunAsOperator:
      ({ params, body, caller }) =>
      () =>
        ok({ run: parts.cancel(params.runId, caller, body) }),

    listAudit: ({ query: { from, to, ...query } }) => {
      const span = { from: millisOf(from), to: millisOf(to) };
      const { rows, ...next } = activity.listTrail({ ...query, ...span });
      return ok({ events: rows.map(auditOf), ...next });
    },

    ...configHandlers(parts.operatorConfigs),

    // This server never wrote Outputs in the old convention, so there are none to migrate.
    listOutputInterfaceMigrations: () => ok({ candidates: [] }),
    migrateOutputInterface: ({ params, body: { candidate } }) => {
      if (capsules.findWorkspace(candidate.capsuleId) !== params.workspaceId) throw notFound('Capsule');
      throw failedPrecondition(
        'migration_fence_moved',
        'This is not a candidate any more, or never was. Ask for the candidates again.',
      );
    },
    requestRestore: ({ params, body }) => {
      if (body.capsuleId !== undefined && capsules.findWorkspace(body.capsuleId) !== params.workspaceId)
        throw notFound('Capsule');
      // This server does not create backups yet, so no id refers to one.
      throw notFound('backup');
    },
  });
}

type ConfigHandlers = Pick<
  Handlers<typeof operatorRoutesApi>,
  'patchInstallConfig' | 'createInstallConfig' | 'deleteInstallConfig'
>;

const configHandlers = (configs: OperatorConfigs): ConfigHandlers => ({
  patchInstallConfig:
    ({ params, body, caller }) =>
    () =>
      ok({ installConfig: configs.patch(params.installConfigId, body, actorOf(caller)) }),
  createInstallConfig:
    ({ body, caller }) =>
    () =>
      created({ installConfig: configs.create(body, actorOf(caller)) }),
  deleteInstallConfig:
    ({ params, caller }) =>
    () => {
      configs.delete(params.installConfigId, actorOf(caller));
      return noContent();
    },
});

const millisOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));

const auditOf = ({ workspaceId, actorId, runId, createdAt, ...row }: AuditRow): AuditRecord => ({
  ...row,
  ...(workspaceId !== null && { workspaceId }),
  ...(actorId !== null && { actorId }),
  ...(runId !== null && { runId }),
  createdAt: isoTime(createdAt),
});
