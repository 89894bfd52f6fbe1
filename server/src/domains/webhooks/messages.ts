import type { CapsulesService } from '#server/domains/capsules/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { isoTime } from '#server/kernel/clock';
import { notificationEvents } from '#shared/notifications/events';
import { type EventMessage, messageResources, testEvent } from '#shared/notifications/message';
import { isNoOp } from '#shared/plans/change';
import type { PlanResourceRef } from '#shared/plans/summary';
import { isApplyType } from '#shared/runs/contract';
import type { RaisedEvent } from './events.ts';

type Deps = {
  runs: Pick<RunsService, 'getRecord'>;
  capsules: Pick<CapsulesService, 'findName'>;
  workspaces: Pick<WorkspacesService, 'getWorkspace'>;
  /** Returns the resources that a drift check found changed or deleted. */
  listDrifted: (runId: string) => readonly PlanResourceRef[];
  /** Public address of the server, where the operator has set it. */
  publicUrl: string | undefined;
};

/** An event without the server's records of it. */
type Subject = Omit<RaisedEvent, 'event'> & { event: EventMessage['event']; webhook?: { id: string; name: string } };
export type EventMessages = ReturnType<typeof createEventMessages>;

/**
 * Builds what every channel says about an event. It selects each member, so that nothing else of a Run or Capsule can
 * leave the server.
 */
export function createEventMessages({ runs, capsules, workspaces, listDrifted, publicUrl }: Deps) {
  return function messageOf({ event, at, workspaceId, run, capsuleId, webhook }: Subject): EventMessage {
    const message: EventMessage = {
      event,
      occurredAt: isoTime(at),
      workspace: { id: workspaceId, name: workspaces.getWorkspace(workspaceId).displayName },
      ...(capsuleId !== undefined && {
        capsule: { id: capsuleId, name: capsules.findName(capsuleId) ?? run?.capsuleName ?? capsuleId },
      }),
      ...(run && factsOfRun(run)),
      ...(webhook && { webhook }),
    };
    return publicUrl === undefined ? message : { ...message, link: publicUrl + pageOf(message) };
  };

  function factsOfRun(run: RunRecord): Partial<EventMessage> {
    const { id, type, status, errorCode } = run;
    const planned = isApplyType(type) && run.planRunId !== null ? runs.getRecord(run.planRunId) : run;
    const { summary, driftCount } = planned.facts;
    return {
      run: { id, type, status, ...(errorCode !== null && { errorCode }) },
      ...(driftCount === undefined ? summary && { counts: summary } : { driftCount }),
      ...resourcesOf(type === 'drift_check' ? listDrifted(id) : plannedChanges(planned)),
    };
  }
}

const plannedChanges = ({ detail }: RunRecord): readonly PlanResourceRef[] =>
  (detail.planResources ?? []).filter((resource) => !isNoOp(resource));

function resourcesOf(changed: readonly PlanResourceRef[]): Pick<EventMessage, 'resources'> {
  if (changed.length === 0) return {};
  const items = changed.slice(0, messageResources).map(({ address, actions }) => ({ address, actions }));
  return { resources: { total: changed.length, items } };
}

function pageOf({ event, run, capsule, webhook }: EventMessage): string {
  if (run) return `/runs/${run.id}`;
  if (capsule) return `/capsules/${capsule.id}`;
  if (event !== testEvent && notificationEvents[event].about === 'backup_schedule') return '/workspace/backups';
  return webhook ? `/workspace/webhooks/${webhook.id}` : '/';
}
