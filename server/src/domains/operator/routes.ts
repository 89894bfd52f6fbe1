import type { ActivityService, AuditRow } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { PlansService } from '#server/domains/plans/index';
import type { FeedReader, RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { isoTime } from '#server/kernel/clock';
import { invalidArgument } from '#server/kernel/errors';
import { actorOf, type Caller, created, type Handlers, type Mount, noContent, ok } from '#server/kernel/http/index';
import type { Capsule } from '#shared/capsules/contract';
import type { CommitCapsule } from '#shared/install-plans/commit-capsule';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
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
  approve: PlansService['approve'];
  cancel: (id: string, caller: Caller, body: BodyOf<typeof operatorRoutesApi.cancelRunAsOperator>) => Run;
};

/** The operator's routes to the domains. All decisions remain in the domains and are the same for every caller. */
export function operatorRoutes(mount: Mount, parts: Parts): void {
  const { workspaces, capsules, states, runs, feed, activity } = parts;
  const requestRun = createRunRequests(parts);

  mount(operatorRoutesApi, {
    createProjectAsOperator:
      ({ body: { workspaceId, name, slug, projectJson, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return created({
          project: workspaces.createProject(workspaceId, { name, slug, projectJson }, actorOf(caller)),
        });
      },
    getProjectAsOperator: ({ params }) => ok({ project: workspaces.getProject(params.projectId) }),

    commitCapsule:
      ({ body, caller }) =>
      () =>
        created({ capsule: parts.commitCapsule(body, actorOf(caller)) }),
    ...capsuleHandlers(capsules),
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
      ({ params, body: { reason, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok({ run: parts.approve(params.runId, { actorId: actorOf(caller), reason }) });
      },
    cancelRunAsOperator:
      ({ params, body, caller }) =>
      () =>
        ok({ run: parts.cancel(params.runId, caller, body) }),

    listAudit: ({ query: { limit, cursor, workspaceId, action, actorId, from, to, ...rest } }) => {
      nothingLeft(rest);
      const filter = { workspaceId, action, actorId, from: millisOf(from), to: millisOf(to) };
      const { rows, ...next } = activity.listTrail({ limit, cursor, ...filter });
      return ok({ events: rows.map(auditOf), ...next });
    },

    ...configHandlers(parts.operatorConfigs),
  });
}

type CapsuleHandlers = Pick<
  Handlers<typeof operatorRoutesApi>,
  'listCapsulesAsOperator' | 'getCapsuleAsOperator' | 'updateCapsuleAsOperator'
>;

const capsuleHandlers = (capsules: CapsulesService): CapsuleHandlers => ({
  listCapsulesAsOperator: ({ query }) => {
    const { workspaceId, limit, cursor, includeDestroyed, q, label, sourceId, order, ...rest } = query;
    nothingLeft(rest);
    return ok(capsules.listCapsules(workspaceId, { limit, cursor, includeDestroyed, q, label, sourceId, order }));
  },
  getCapsuleAsOperator: ({ params }) => ok(capsules.getGuarded(params.capsuleId)),
  updateCapsuleAsOperator:
    ({
      params: { capsuleId },
      body: { disabled, status, autoUpdate, writablePaths, note, driftSchedule, runnerPoolId, labels, ...rest },
      caller,
    }) =>
    () => {
      nothingLeft(rest);
      const patch = { status, autoUpdate, writablePaths, note, driftSchedule, runnerPoolId, labels };
      const changes = Object.values(patch).some((value) => value !== undefined);
      if (disabled === undefined && !changes)
        throw invalidArgument('empty_patch', 'Name at least one field to change.');
      if (disabled !== undefined) capsules.setDisabled(capsuleId, disabled, actorOf(caller));
      if (changes) capsules.change(capsuleId, patch, actorOf(caller));
      return ok({ capsule: capsules.getCapsule(capsuleId) });
    },
});

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
