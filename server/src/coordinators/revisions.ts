import type { ActivityService } from '#server/activity/index';
import type { BindingsService } from '#server/bindings/index';
import type { CapsuleRow, CapsulesService } from '#server/capsules/index';
import type { ConfigsService } from '#server/configs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { SourcesService } from '#server/sources/index';
import type { Vault } from '#server/vault/index';
import type { WorkspacesService } from '#server/workspaces/index';
import {
  type RevisionDiagnostic,
  type RevisionPhase,
  type RevisionPlan,
  type RevisionPlanAnswer,
  revisionDiagnosticCodes,
} from '#shared/coordinators/revision';
import { apiPrefix } from '#shared/vendor';
import { findStep, type Progress } from './reconcile.ts';
import { baseOf, isOnBase } from './revision-base.ts';
import {
  createRevisionSteps,
  type RevisionState,
  type RevisionStep,
  type RevisionStepPorts,
} from './revision-steps.ts';
import { type CoordinatorsStore, createCoordinatorsStore, type RevisionRow } from './store.ts';

export type RevisionPlans = ReturnType<typeof createRevisionPlans>;
type Ask = { capsuleId: string; actorId: string; key: string; ref: string };
type Outcome = Progress<RevisionState, RevisionDiagnostic>;

type Deps = RevisionStepPorts & {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  vault: Pick<Vault, 'installationKey'>;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<ConfigsService, 'getPrivate' | 'digestOf'>;
  sources: SourcesService;
  bindings: Pick<BindingsService, 'listBindings'>;
};

/** Updates of a Capsule to a ref (API 4.8): asked for once, advanced step by step, ending at a plan that a person reviews. */
export function createRevisionPlans(deps: Deps) {
  const { db, store, steps } = { ...deps, store: createCoordinatorsStore(deps.db), steps: createRevisionSteps(deps) };
  const inProgress = new Set<string>();

  function getRow(id: string): RevisionRow {
    const row = store.findRevision(id);
    if (!row) throw notFound('revision plan');
    return row;
  }

  /** Takes the first undone step. The look-up part runs now; what comes back writes, and fences on the generation it started from. */
  async function advance(id: string, actorId: string): Promise<() => { answer: RevisionPlanAnswer; waits: boolean }> {
    const row = getRow(id);
    const state: RevisionState = { ...row.facts, row, ...(row.phase === 'reviewable' && { reviewable: true }) };
    const step = row.phase === 'failed' ? undefined : findStep(steps, state);
    if (!step) return () => ({ answer: answerOf(getRow(id)), waits: false });
    if (inProgress.has(id))
      throw new AppError('reconcile_in_progress', 'Another call is advancing this update. Ask again in a moment.');
    inProgress.add(id);
    try {
      const commit = isOnBase(row, deps) ? await takeStep(step, state) : () => moved;
      return () => persist(row, commit, actorId);
    } finally {
      inProgress.delete(id);
    }
  }

  function persist(row: RevisionRow, commit: () => Outcome, actorId: string) {
    const outcome = attempt(db, () => (isOnBase(row, deps) ? commit() : moved));
    if (outcome.kind === 'waiting') return { answer: answerOf(getRow(row.id)), waits: true };
    const now = deps.clock.now();
    const set = outcome.kind === 'failed' ? failureOf(outcome.diagnostic, now) : progressOf(row, outcome.state, now);
    if (!store.moveRevision(row.id, row.generation, { ...set, updatedAt: now }))
      throw new AppError('reconcile_conflict', 'The update has moved on meanwhile. Read it again.');
    tell(deps, getRow(row.id), { action: 'revision_plan.advanced', actorId });
    return { answer: answerOf(getRow(row.id)), waits: false };
  }

  return {
    create: (ask: Ask): { answer: RevisionPlanAnswer; made: boolean } =>
      db.write(() => {
        const { row, made } = open({ ...deps, store }, ask);
        return { answer: answerOf(row), made };
      }),
    advance,
    getAnswer: (id: string): RevisionPlanAnswer => answerOf(getRow(id)),
    getCreator: (id: string): string => getRow(id).createdBy,
    findWorkspace: (id: string): string | undefined => store.findRevision(id)?.workspaceId,
    /** Whether an update of a Capsule is on its way and may still come to a plan. */
    isUnderWay: (capsuleId: string): boolean => store.listOpenRevisions(capsuleId).some((row) => isOnBase(row, deps)),

    requireOwnLane: (capsuleId: string, ref: string): void => requireOwnLane(deps, capsuleId, ref),
  };
}

/** Whoever only proposes chooses no other ref for what holds credentials. 403 `forbidden`. */
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

type Telling = { action: 'revision_plan.created' | 'revision_plan.advanced'; actorId: string };
function tell({ activity, outbox }: Pick<Deps, 'activity' | 'outbox'>, row: RevisionRow, deed: Telling): void {
  const { workspaceId, id, phase, capsuleId } = row;
  activity.record({ workspaceId, ...deed, targetType: 'revision_plan', targetId: id, metadata: { capsuleId, phase } });
  outbox.push({ workspaceId, kind: 'install_plan', recordId: id, status: phase });
}

/** Same key and same request: the same record. Same key and another request: 409 `idempotency_conflict`. */
function open(deps: Deps & { store: CoordinatorsStore }, ask: Ask): { row: RevisionRow; made: boolean } {
  const { store } = deps;
  const capsule = deps.capsules.getRow(ask.capsuleId);
  const place = { workspaceId: capsule.workspaceId, createdBy: ask.actorId, keyDigest: sha256Hex(ask.key) };
  const requestDigest = digestOf(deps, ask);
  const known = store.findRevisionByKey(place);
  if (known?.requestDigest === requestDigest) return { row: known, made: false };
  if (known || store.findByKey(place))
    throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request. Use a fresh key.');
  const request = requestOf(deps, capsule, ask.ref);
  const id = newId('revisionPlan');
  const at = deps.clock.now();
  const made = { ...fresh, ...place, id, capsuleId: capsule.id, requestDigest, request };
  store.insertRevision({ ...made, createdAt: at, updatedAt: at });
  const row = store.findRevision(id);
  if (!row) throw notFound('revision plan');
  tell(deps, row, { action: 'revision_plan.created', actorId: ask.actorId });
  return { row, made: true };
}

const fresh = { phase: 'syncing_source', generation: 0, facts: {}, diagnostic: null, completedAt: null } as const;

const moved: Outcome = {
  kind: 'failed',
  diagnostic: {
    code: 'revision_identity_changed',
    message: 'The Capsule, its configuration or its Source has changed since this update was asked for. Start it anew.',
    planCreationStage: 'preparation',
  },
};

const digestOf = ({ vault }: Deps, { capsuleId, ref }: Ask): string =>
  `sha256:${hmacHex(vault.installationKey('revision-plan-digest'), canonicalJson({ capsuleId, ref }))}`;

const laneOf = ({ configs }: Pick<Deps, 'configs'>, capsule: CapsuleRow) =>
  capsule.adoptedSourceRevision ?? configs.getPrivate(capsule.installConfigId).provenance;

/** What speaks against an update is told in this order: the ref, the Capsule, its Source, that it was never applied. */
function requestOf(deps: Deps, capsule: CapsuleRow, ref: string): RevisionRow['request'] {
  const { path } = laneOf(deps, capsule);
  deps.sources.requireLane({ ref, path }, { ref: '/ref', path: '/ref' });
  deps.workspaces.requireLive(capsule.workspaceId);
  if (capsule.status === 'destroyed') throw failedPrecondition('capsule_destroyed', 'This Capsule was destroyed.');
  const source = deps.sources.getSource(capsule.sourceId);
  if (source.status === 'disabled')
    throw failedPrecondition('source_disabled', 'This Source is switched off. Set its status to active first.');
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

async function takeStep(step: RevisionStep, state: RevisionState): Promise<() => Outcome> {
  try {
    return await step.take(state);
  } catch (error) {
    return () => asFailure(error);
  }
}

/** A refusal inside a step undoes that step alone and becomes the diagnostic of the update. */
function attempt(db: Db, commit: () => Outcome): Outcome {
  try {
    return db.write(commit);
  } catch (error) {
    return asFailure(error);
  }
}

/** What may pass, such as a missing tool or a full disk, is thrown on and can be tried again. */
function asFailure(error: unknown): Outcome {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const reason = error.details?.reason;
  const code = revisionDiagnosticCodes.find((one) => one === reason) ?? 'revision_plan_failed';
  const message = error.message.slice(0, 256);
  return { kind: 'failed', diagnostic: { code, message, ...(reason !== undefined && { reason }) } };
}

const failureOf = (diagnostic: RevisionDiagnostic, completedAt: number): Partial<RevisionRow> => ({
  phase: 'failed',
  diagnostic,
  completedAt,
});

function progressOf(row: RevisionRow, made: Partial<RevisionState>, now: number): Partial<RevisionRow> {
  const { row: _, reviewable, ...more } = made;
  const facts = { ...row.facts, ...more };
  return { facts, phase: reviewable ? 'reviewable' : phaseOf(facts), ...(reviewable && { completedAt: now }) };
}

/** The phase follows from what is there. */
function phaseOf({ sourceSnapshotId, compatibilityReportId }: RevisionRow['facts']): RevisionPhase {
  if (sourceSnapshotId === undefined) return 'syncing_source';
  return compatibilityReportId === undefined ? 'analyzing_compatibility' : 'planning';
}

const planOf = (row: RevisionRow): RevisionPlan => ({
  id: row.id,
  workspaceId: row.workspaceId,
  createdBy: row.createdBy,
  operation: 'revision',
  requestDigest: row.requestDigest,
  ...row.request,
  ...row.facts,
  installConfigId: row.request.revision.base.installConfigId,
  capsuleId: row.capsuleId,
  phase: row.phase,
  generation: row.generation,
  ...(row.diagnostic && { diagnostic: row.diagnostic }),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
  ...(row.completedAt !== null && { completedAt: isoTime(row.completedAt) }),
});

function answerOf(row: RevisionRow): RevisionPlanAnswer {
  const self = `${apiPrefix}/revision-plans/${row.id}`;
  const ended = row.phase === 'reviewable' || row.phase === 'failed';
  return {
    revisionPlan: planOf(row),
    nextAction: row.phase === 'reviewable' ? 'review_run' : ended ? 'none' : 'reconcile',
    links: {
      self,
      ...(!ended && { reconcile: `${self}/reconcile` }),
      ...(row.facts.planRunId !== undefined && { run: `${apiPrefix}/runs/${row.facts.planRunId}` }),
    },
  };
}
