import type { ActivityService } from '#server/domains/activity/index';
import type { RunsService } from '#server/domains/runs/index';
import { defaultProjectId } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import { failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { Capsule } from '#shared/capsules/contract';
import type { CompatibilityLevel } from '#shared/sources/report';
import { withoutHold } from './hold.ts';
import type { CapsuleRecords } from './record.ts';
import type { CapsuleRow, CapsulesStore } from './store.ts';

type NewCapsule = {
  /** Generated unless set. */
  id?: string | undefined;
  workspaceId: string;
  /** The default Project of the Workspace unless set. */
  projectId?: string | undefined;
  name: string;
  environment: string;
  sourceId: string;
  installConfigId: string;
  compatibilityReportId: string;
  compatibilityStatus: CompatibilityLevel;
};

type Deps = {
  clock: Clock;
  outbox: Outbox;
  runs: Pick<RunsService, 'findActive'>;
  activity: Pick<ActivityService, 'record'>;
  store: Pick<CapsulesStore, 'findLive' | 'insertCapsule'>;
  records: CapsuleRecords;
  freeSlug: (workspaceId: string, name: string) => string;
};

/** Creates Capsules with a name and a slug that are free. */
export function createCapsuleCreation({ clock, outbox, runs, activity, store, records, freeSlug }: Deps) {
  /** Requires that (Project, name, environment) is unique among Capsules that are not destroyed. 409 `capsule_name_taken`. */
  function requireFreeName(at: Pick<NewCapsule, 'workspaceId' | 'projectId' | 'name' | 'environment'>): void {
    const other = store.findLive({
      projectId: at.projectId ?? defaultProjectId(at.workspaceId),
      name: at.name,
      environment: at.environment,
    });
    if (!other) return;
    const details =
      other.status === 'pending' && !runs.findActive(other.id)
        ? { capsuleId: other.id, capsuleStatus: other.status }
        : {};
    throw failedPrecondition(
      'capsule_name_taken',
      'A Capsule of this name exists in this environment. Choose another name.',
      details,
    );
  }

  return {
    requireFreeName,

    create(input: NewCapsule, actorId: string): Capsule {
      requireFreeName(input);
      const now = clock.now();
      const row: CapsuleRow = {
        ...input,
        id: input.id ?? newId('capsule'),
        projectId: input.projectId ?? defaultProjectId(input.workspaceId),
        slug: freeSlug(input.workspaceId, input.name),
        status: 'pending',
        currentStateVersionId: null,
        currentStateGeneration: 0,
        executionAuthorityEpoch: 1,
        runtimeSafety: null,
        autoUpdate: null,
        driftSchedule: null,
        runnerPoolId: null,
        writablePaths: null,
        note: null,
        ...withoutHold,
        labels: null,
        disabledFrom: null,
        adoptedSourceRevision: null,
        createdAt: now,
        updatedAt: now,
      };
      store.insertCapsule(row);
      activity.record({
        workspaceId: row.workspaceId,
        actorId,
        action: 'capsule.created',
        targetType: 'capsule',
        targetId: row.id,
        metadata: { name: row.name },
      });
      outbox.push({ workspaceId: row.workspaceId, kind: 'capsule', recordId: row.id, status: row.status });
      return records.capsuleOf(row);
    },
  };
}
