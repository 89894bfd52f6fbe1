import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { InstallationService } from '#server/domains/installation/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { PageQuery } from '#server/kernel/page';
import type { ActivityEvent } from '#shared/activity/contract';
import type { dashboardApi } from '#shared/dashboard/api';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import { dashboardLimits, limits } from '#shared/limits';
import type { Workspace } from '#shared/workspaces/contract';

type Deps = {
  workspaces: Pick<WorkspacesService, 'listWorkspaces'>;
  capsules: Pick<CapsulesService, 'listCapsules'>;
  states: Pick<StateVersionsService, 'listCurrent'>;
  configs: Pick<InstallConfigsService, 'listConfigs'>;
  activity: Pick<ActivityService, 'list'>;
  installation: Pick<InstallationService, 'findNotice'>;
  /** Milliseconds of a clock that cannot be set. */
  elapsed: () => number;
};

/** Scope of the read: all Workspaces of an account, or the one that its token is bound to. */
type Viewer = { accountId: string; only?: string | undefined };
type BootstrapQuery = QueryOf<typeof dashboardApi.getBootstrap>;
type OverviewQuery = QueryOf<typeof dashboardApi.getOverview>;

export type DashboardViews = ReturnType<typeof createDashboardViews>;

/** Data of the first screens, in one read each: nothing is written, and a slow part is left out. */
export function createDashboardViews(deps: Deps) {
  const { workspaces, capsules, states, configs, activity, installation, elapsed } = deps;

  function listOf(
    viewer: Viewer,
    { workspaceId, workspaceLimit }: Pick<OverviewQuery, 'workspaceId' | 'workspaceLimit'>,
  ) {
    const page = workspaces.listWorkspaces(viewer, { limit: workspaceLimit, selectedWorkspaceId: workspaceId });
    const { returned, limit, truncated } = page;
    return { workspaces: page.workspaces, workspaceList: { returned, limit, truncated } };
  }

  /** The requested Workspace while it is active and visible to the viewer; otherwise the first. */
  function select(viewer: Viewer, workspaceId: string | undefined): Workspace | undefined {
    const query = { limit: 1, ...(workspaceId !== undefined && { selectedWorkspaceId: workspaceId }) };
    const [first, ...rest] = workspaces.listWorkspaces(viewer, query).workspaces;
    return [first, ...rest].find((one) => one?.id === workspaceId) ?? first;
  }

  /** At most this number of InstallConfigs, read a page at a time. */
  function listConfigs(workspaceId: string, most: number) {
    const installConfigs: ReturnType<typeof configs.listConfigs>['installConfigs'] = [];
    let cursor: string | undefined;
    do {
      const query: PageQuery = { limit: Math.min(most - installConfigs.length, limits.pageMax), cursor };
      const page = configs.listConfigs(workspaceId, query);
      installConfigs.push(...page.installConfigs);
      cursor = page.nextCursor;
    } while (cursor !== undefined && installConfigs.length < most);
    return installConfigs;
  }

  return {
    bootstrap(viewer: Viewer, query: BootstrapQuery) {
      const { workspaceId, workspaceLimit, includeWorkspaces, includeNotifications, ...rest } = query;
      nothingLeft(rest);
      const shown = listOf(viewer, { workspaceId, workspaceLimit });
      const pause = installation.findNotice();
      return {
        session: { subject: viewer.accountId },
        ...(pause && { pause }),
        ...(includeWorkspaces !== false && shown),
        ...(includeNotifications === true && { notifications: newestEvents(activity, shown.workspaces) }),
      };
    },

    overview(viewer: Viewer, query: OverviewQuery) {
      const { workspaceId, workspaceLimit, includeWorkspaces, ...limitsOfParts } = query;
      const { capsuleLimit, activityLimit, installConfigLimit, ...rest } = limitsOfParts;
      nothingLeft(rest);
      const deadline = elapsed() + dashboardLimits.deadlineMs;
      const inTime = <T>(read: () => readonly T[]): T[] => (elapsed() < deadline ? [...read()] : []);
      const shown = listOf(viewer, { workspaceId, workspaceLimit });
      const workspace = select(viewer, workspaceId);
      const list =
        includeWorkspaces === false
          ? { workspaces: [], workspaceList: { ...shown.workspaceList, returned: 0 } }
          : shown;
      if (!workspace)
        return { ...list, workspace: null, capsules: [], currentStateVersions: [], activity: [], installConfigs: [] };
      const { id } = workspace;
      const page = capsules.listCapsules(id, { limit: capsuleLimit, includeDestroyed: false });
      return {
        ...list,
        workspace,
        capsules: page.capsules,
        currentStateVersions: inTime(() => states.listCurrent(id, { limit: limits.pageMax }).stateVersions),
        activity: inTime(() => activity.list(id, { limit: activityLimit }).events.map(shortened)),
        installConfigs: inTime(() => listConfigs(id, installConfigLimit)),
        ...(page.nextCursor !== undefined && { nextCapsuleCursor: page.nextCursor }),
      };
    },
  };
}

/** The newest events of the first Workspaces, newest first. */
function newestEvents(activity: Deps['activity'], shown: readonly Workspace[]) {
  const { notifiedWorkspaces, notifications } = dashboardLimits;
  return shown
    .slice(0, notifiedWorkspaces)
    .flatMap(({ id, handle }) =>
      activity.list(id, { limit: notifications }).events.map((event) => ({ event, workspaceHandle: handle })),
    )
    .sort((a, b) => compareNewest(a.event, b.event))
    .slice(0, notifications)
    .map(({ event, workspaceHandle }) => ({ event: shortened(event), workspaceHandle }));
}

const compareNewest = (a: ActivityEvent, b: ActivityEvent): number =>
  b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id);

const visibleMetadata = new Set([
  'capsuleId',
  'capsuleName',
  'name',
  'environment',
  'provider',
  'outputCount',
  'stateVersionId',
  'applyRunId',
  'operation',
  'phase',
  'policyStatus',
  'errorCode',
  'producerCapsuleName',
  'changedOutputs',
  'reasons',
]);

/** An event with the metadata fields that a list shows. */
const shortened = (event: ActivityEvent): ActivityEvent => ({
  ...event,
  metadata: Object.fromEntries(Object.entries(event.metadata).filter(([name]) => visibleMetadata.has(name))),
});
