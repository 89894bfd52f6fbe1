import type { ActivityService } from '#server/domains/activity/index';
import {
  createStepwisePlans,
  findDiagnosticCode,
  type IdempotencyKey,
  type PlanStepPorts,
} from '#server/domains/install-plans/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { RevisionDiagnosticCode, RevisionPhase } from '#shared/revision-plans/revision-plan';
import { isOnBase } from './base.ts';
import {
  type CreateRevisionInput,
  type CreateRevisionPorts,
  requestDigestOf,
  requestOf,
  requireOwnLane,
} from './create.ts';
import { createRevisionSteps, stateOf } from './steps.ts';
import { createRevisionPlansStore, type RevisionPlansStore, type RevisionRow } from './store.ts';

export type RevisionPlansService = ReturnType<typeof createRevisionPlansService>;

type Ports = PlanStepPorts &
  CreateRevisionPorts & {
    db: Db;
    clock: Clock;
    outbox: Outbox;
    activity: Pick<ActivityService, 'record'>;
    /** True when an installation was created under this key. */
    hasInstallPlan: (key: IdempotencyKey) => boolean;
  };

/** Updates of a Capsule to a ref: requested once, advanced step by step, ending at a plan that a person reviews. */
export function createRevisionPlansService(ports: Ports) {
  const { db } = ports;
  const store = createRevisionPlansStore(db);
  const stepwise = createRevisionKind(ports, store);

  return {
    create: (input: CreateRevisionInput): { answer: RevisionPlanAnswer; isNew: boolean } =>
      db.write(() => {
        const capsule = ports.capsules.getRow(input.capsuleId);
        const { workspaceId, id: capsuleId } = capsule;
        const keyed = { ...input, workspaceId, requestDigest: requestDigestOf(ports, input) };
        const { row, isNew } = stepwise.createOnce(keyed, (columns) => {
          const request = requestOf(ports, capsule, input.ref);
          store.insert({ ...columns, capsuleId, request, phase: phaseOf({}) });
        });
        if (isNew) recordCreated(ports, row);
        return { answer: stepwise.answerOf(row), isNew };
      }),
    advance: stepwise.advance,
    cancel: stepwise.cancel,
    expiring: stepwise.expiring,
    getAnswer: stepwise.getAnswer,
    getCreator: stepwise.getCreator,
    findWorkspace: stepwise.findWorkspace,
    hasKey: stepwise.hasKey,
    /** True when an update of a Capsule is in progress and may still create a plan. A plan Run counts on its own. */
    isUnderWay: (capsuleId: string): boolean =>
      store.listOpen(capsuleId).some((row) => row.facts.planRunId === undefined && isOnBase(row, ports)),
    requireOwnLane: (capsuleId: string, ref: string): void => requireOwnLane(ports, capsuleId, ref),
  };
}

const createRevisionKind = (ports: Ports, store: RevisionPlansStore) =>
  createStepwisePlans({
    db: ports.db,
    clock: ports.clock,
    noun: 'update',
    recordNoun: 'revision plan',
    folder: 'revision-plans',
    newId: () => newId('revisionPlan'),
    isKeyTaken: ports.hasInstallPlan,
    steps: createRevisionSteps(ports),
    stateOf,
    phaseOf,
    codeOf: (refusal): RevisionDiagnosticCode => findDiagnosticCode(refusal) ?? 'revision_plan_failed',
    retryable: {
      code: 'revision_plan_reconcile_retryable',
      message: 'The step is not complete yet. Reconcile the update again.',
    },
    cancelled: { code: 'revision_plan_cancelled', message: 'The update was cancelled.' },
    expired: {
      code: 'revision_plan_expired',
      message: `The update was not continued for ${limits.abandonedPlanDays} days, so it was ended. Start a new one.`,
    },
    store,
    recordAdvanced: (row, { actorId, metadata }) =>
      record(ports, row, { action: 'revision_plan.advanced', actorId, metadata }),
    answerOf: ({ request, facts, capsuleId }, { common, next }): RevisionPlanAnswer => ({
      revisionPlan: {
        ...common,
        operation: 'revision',
        ...request,
        ...facts,
        installConfigId: request.revision.base.installConfigId,
        capsuleId,
      },
      ...next,
    }),
  });

type Entry = Pick<Parameters<ActivityService['record']>[0], 'actorId' | 'action' | 'metadata'>;

function record({ activity, outbox }: Ports, row: RevisionRow, { metadata, ...entry }: Entry): void {
  const { workspaceId, id, phase, capsuleId } = row;
  const target = { targetType: 'revision_plan', targetId: id, metadata: { capsuleId, ...metadata } };
  activity.record({ workspaceId, ...entry, ...target });
  outbox.push({ workspaceId, kind: 'install_plan', recordId: id, status: phase });
}

const recordCreated = (ports: Ports, row: RevisionRow): void =>
  record(ports, row, {
    action: 'revision_plan.created',
    actorId: row.createdBy,
    metadata: { phase: row.phase },
  });

/** Derives the phase from the records that exist. */
function phaseOf({ sourceSnapshotId, compatibilityReportId }: RevisionRow['facts']): RevisionPhase {
  if (sourceSnapshotId === undefined) return 'syncing_source';
  return compatibilityReportId === undefined ? 'analyzing_compatibility' : 'planning';
}
