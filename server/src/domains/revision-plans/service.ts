import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type {
  RevisionDiagnosticCode,
  RevisionPhase,
  RevisionPlan,
  RevisionPlanAnswer,
} from '#shared/revision-plans/revision-plan';
import { cancelledRevision, expiredRevision } from '../install-plans/ends.ts';
import { advancedMetadata, findRepeat, fresh, nextStepOf, publicPart } from '../install-plans/plan-record.ts';
import { diagnose, type PlanStepPorts } from '../install-plans/plan-steps.ts';
import { createReconciler, take } from '../install-plans/reconcile.ts';
import { findDiagnosticCode } from '../install-plans/refusal-codes.ts';
import { type BasePorts, baseOf, isOnBase } from './base.ts';
import { createRevisionSteps, type RevisionState, type RevisionStep } from './steps.ts';
import { type CoordinatorsStore, createCoordinatorsStore, type RevisionRow } from '../install-plans/store.ts';

export type RevisionPlans = ReturnType<typeof createRevisionPlans>;
type CreateRevisionInput = { capsuleId: string; actorId: string; key: string; ref: string };

type Deps = PlanStepPorts & {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  vault: Pick<Vault, 'installationKey'>;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate' | 'digestOf'>;
  sources: SourcesService;
  bindings: Pick<ProviderBindingsService, 'listBindings'>;
};

/** Updates of a Capsule to a ref: requested once, advanced step by step, ending at a plan that a person reviews. */
export function createRevisionPlans(deps: Deps) {
  const store = createCoordinatorsStore(deps.db);

  function getRow(id: string): RevisionRow {
    const row = store.revisions.find(id);
    if (!row) throw notFound('revision plan');
    return row;
  }

  const reconciler = createReconciler({
    ...deps,
    noun: 'update',
    steps: createRevisionSteps(deps).map((step) => onBase(step, deps)),
    getRow,
    stateOf,
    phaseOf,
    codeOf: (refusal): RevisionDiagnosticCode => findDiagnosticCode(refusal) ?? 'revision_plan_failed',
    retryable: {
      code: 'revision_plan_reconcile_retryable',
      message: 'The step is not complete yet. Reconcile the update again.',
    },
    move: store.revisions.move,
    record: (row, actorId) => record(deps, row, { action: 'revision_plan.advanced', actorId }),
    answerOf,
  });

  return {
    create: (input: CreateRevisionInput): { answer: RevisionPlanAnswer; isNew: boolean } =>
      deps.db.write(() => {
        const { row, isNew } = open({ ...deps, store }, input);
        return { answer: answerOf(row), isNew };
      }),
    advance: reconciler.advance,
    /** In the caller's transaction. 409 `reconcile_in_progress`; an update that has ended is unchanged. */
    cancel: (id: string, actorId: string): RevisionPlanAnswer => reconciler.fail(id, cancelledRevision, actorId),
    /** Ends abandoned updates; in the caller's transaction. */
    expiring: {
      findOldestStep: store.revisions.findOldestStep,
      listUntouchedSince: store.revisions.listUntouchedSince,
      expire: (id: string): RevisionPlanAnswer => reconciler.fail(id, expiredRevision),
    },
    getAnswer: (id: string): RevisionPlanAnswer => answerOf(getRow(id)),
    getCreator: (id: string): string => getRow(id).createdBy,
    findWorkspace: (id: string): string | undefined => store.revisions.find(id)?.workspaceId,
    /** True when an update of a Capsule is in progress and may still create a plan. */
    isUnderWay: (capsuleId: string): boolean => store.listOpenRevisions(capsuleId).some((row) => isOnBase(row, deps)),

    requireOwnLane: (capsuleId: string, ref: string): void => requireOwnLane(deps, capsuleId, ref),
  };
}

/** Refuses another ref from a role that may only propose, when the Capsule or its Source uses credentials. 403 `forbidden`. */
function requireOwnLane(deps: Deps, capsuleId: string, ref: string): void {
  const capsule = deps.capsules.getRow(capsuleId);
  const isBound = deps.bindings.listBindings(capsuleId).length > 0;
  if (laneOf(deps, capsule).ref === ref) return;
  if (!isBound && deps.sources.findAuthConnection(capsule.sourceId) === undefined) return;
  throw new AppError(
    'forbidden',
    'Your role lets you plan this Capsule only from the ref it follows, because Connections are used. Ask an owner or admin.',
  );
}

type Entry = { action: 'revision_plan.created' | 'revision_plan.advanced'; actorId: string | undefined };
function record({ activity, outbox }: Pick<Deps, 'activity' | 'outbox'>, row: RevisionRow, entry: Entry): void {
  const { workspaceId, id, phase, capsuleId } = row;
  const metadata = { capsuleId, ...advancedMetadata(row) };
  activity.record({ workspaceId, ...entry, targetType: 'revision_plan', targetId: id, metadata });
  outbox.push({ workspaceId, kind: 'install_plan', recordId: id, status: phase });
}

/** Same key and same request: the same record. Same key and another request: 409 `idempotency_conflict`. */
function open(
  deps: Deps & { store: CoordinatorsStore },
  input: CreateRevisionInput,
): { row: RevisionRow; isNew: boolean } {
  const { store } = deps;
  const capsule = deps.capsules.getRow(input.capsuleId);
  const idempotencyKey = {
    workspaceId: capsule.workspaceId,
    createdBy: input.actorId,
    keyDigest: sha256Hex(input.key),
  };
  const requestDigest = digestOf(deps, input);
  const known = findRepeat(
    store.revisions.findByKey(idempotencyKey),
    store.installs.findByKey(idempotencyKey),
    requestDigest,
  );
  if (known) return { row: known, isNew: false };
  const request = requestOf(deps, capsule, input.ref);
  const id = newId('revisionPlan');
  const at = deps.clock.now();
  const fields = { ...fresh, ...idempotencyKey, id, capsuleId: capsule.id, requestDigest, request };
  store.revisions.insert({ ...fields, phase: phaseOf({}), createdAt: at, updatedAt: at });
  const row = store.revisions.find(id);
  if (!row) throw notFound('revision plan');
  record(deps, row, { action: 'revision_plan.created', actorId: input.actorId });
  return { row, isNew: true };
}

const moved = diagnose(
  'revision_identity_changed',
  'The Capsule, its configuration or its Source has changed since this update was requested. Start a new update.',
);

const digestOf = ({ vault }: Deps, { capsuleId, ref }: CreateRevisionInput): string =>
  `sha256:${hmacHex(vault.installationKey('revision-plan-digest'), canonicalJson({ capsuleId, ref }))}`;

const laneOf = ({ configs }: Pick<Deps, 'configs'>, capsule: CapsuleRow) =>
  capsule.adoptedSourceRevision ?? configs.getPrivate(capsule.installConfigId).provenance;

/** Checks an update in this order: the ref, the Capsule, its Source, and whether it was ever applied. */
function requestOf(deps: Deps, capsule: CapsuleRow, ref: string): RevisionRow['request'] {
  const { path } = laneOf(deps, capsule);
  deps.sources.requireLane({ ref, path }, { ref: '/ref', path: '/ref' });
  deps.workspaces.requireLive(capsule.workspaceId);
  if (capsule.status === 'destroyed') throw failedPrecondition('capsule_destroyed', 'This Capsule was destroyed.');
  const source = deps.sources.getSource(capsule.sourceId);
  if (source.status === 'disabled')
    throw failedPrecondition('source_disabled', 'This Source is disabled. Set its status to active first.');
  if (capsule.currentStateVersionId === null)
    throw failedPrecondition(
      'capsule_never_applied',
      'This Capsule was never applied, so there is nothing to update. Plan and apply it first.',
    );
  const { name, url, authConnectionId } = source;
  const { modulePath } = deps.configs.getPrivate(capsule.installConfigId);
  return {
    source: { name, url, ref, path, ...(authConnectionId !== undefined && { authConnectionId }) },
    capsule: { name: capsule.name, environment: capsule.environment },
    options: { modulePath },
    revision: { targetRef: ref, base: baseOf(capsule, deps) },
    sourceId: capsule.sourceId,
    installModulePath: modulePath,
  };
}

/** A step that checks that the base of the update is unchanged, before its look-ups and when it writes. */
const onBase = (step: RevisionStep, ports: BasePorts): RevisionStep => ({
  ...step,
  take: async (state) => {
    if (!isOnBase(state.row, ports)) return () => moved;
    const commit = await take(step, state);
    return () => (isOnBase(state.row, ports) ? commit() : moved);
  },
});

const stateOf = (row: RevisionRow): RevisionState => {
  const { sourceId, installModulePath } = row.request;
  return { ...row.facts, row, sourceId, installModulePath, capsuleId: row.capsuleId };
};

/** Derives the phase from the records that exist. */
function phaseOf({ sourceSnapshotId, compatibilityReportId }: RevisionRow['facts']): RevisionPhase {
  if (sourceSnapshotId === undefined) return 'syncing_source';
  return compatibilityReportId === undefined ? 'analyzing_compatibility' : 'planning';
}

const planOf = (row: RevisionRow): RevisionPlan => ({
  ...publicPart(row),
  operation: 'revision',
  ...row.request,
  ...row.facts,
  installConfigId: row.request.revision.base.installConfigId,
  capsuleId: row.capsuleId,
});

const answerOf = (row: RevisionRow): RevisionPlanAnswer => ({
  revisionPlan: planOf(row),
  ...nextStepOf('revision-plans', row),
});
