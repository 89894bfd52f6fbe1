import type { ActivityService } from '#server/activity/index';
import type { CapsulesService } from '#server/capsules/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { AppError, invalidArgument, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type PageAsk, readPage } from '#server/kernel/page';
import type { SourcesService } from '#server/sources/index';
import type { Vault } from '#server/vault/index';
import type { WorkspacesService } from '#server/workspaces/index';
import type { CreateInstallPlan, InstallPlanAnswer } from '#shared/coordinators/api';
import {
  type InstallDiagnostic,
  type InstallDiagnosticCode,
  type InstallPhase,
  type InstallPlan,
  installDiagnosticCodes,
} from '#shared/coordinators/contract';
import type { JsonObject } from '#shared/kernel/json';
import { apiPrefix } from '#shared/vendor';
import { refuseSecretArguments } from './build-checks.ts';
import type { InstallState } from './install-state.ts';
import { findStep, type Progress, type Step } from './reconcile.ts';
import type { InstallFacts } from './schema.ts';
import { createCoordinatorsStore, type InstallRow } from './store.ts';
import { findOversize } from './variables.ts';

export type CoordinatorsService = ReturnType<typeof createCoordinatorsService>;
type Outcome = Progress<InstallState, InstallDiagnostic>;

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  sources: Pick<SourcesService, 'requireUrl' | 'requireLane' | 'requireAuth'>;
  capsules: Pick<CapsulesService, 'requireFreeName'>;
  /** What only an installation with bindings or a preflight is held to when it is asked for. */
  checkAsked: (ask: { workspaceId: string; body: CreateInstallPlan }) => void;
  steps: readonly Step<InstallState, InstallDiagnostic>[];
};

export function createCoordinatorsService({
  db,
  clock,
  cursors,
  outbox,
  vault,
  activity,
  workspaces,
  sources,
  capsules,
  checkAsked,
  steps,
}: Deps) {
  const store = createCoordinatorsStore(db);
  const digestKey = () => vault.installationKey('install-plan-digest');
  const contextOf = ({ id, workspaceId }: { id: string; workspaceId: string }) => ({
    table: 'install_plans',
    row: id,
    column: 'variables',
    workspaceId,
  });
  const inProgress = new Set<string>();

  function getRow(id: string): InstallRow {
    const row = store.findPlan(id);
    if (!row) throw notFound('install plan');
    return row;
  }

  function stateOf(row: InstallRow): InstallState {
    const variables =
      row.variables === null ? {} : (JSON.parse(vault.open(contextOf(row), row.variables).toString()) as JsonObject);
    return { ...row.facts, row, variables, ...(row.phase === 'reviewable' && { reviewable: true as const }) };
  }

  /** Same key and same request: the same record. Same key and another request: 409 `idempotency_conflict`. */
  function create(ask: { workspaceId: string; actorId: string; key: string; body: CreateInstallPlan }): {
    row: InstallRow;
    made: boolean;
  } {
    const { workspaceId, actorId, body } = ask;
    const keyDigest = sha256Hex(ask.key);
    const request = normalize(body);
    const requestDigest = `sha256:${hmacHex(digestKey(), canonicalJson(request))}`;
    return db.write(() => {
      const known = store.findByKey({ workspaceId, createdBy: actorId, keyDigest });
      requireUnusedKey({ workspaceId, createdBy: actorId, keyDigest });
      if (known && known.requestDigest !== requestDigest) {
        throw new AppError(
          'idempotency_conflict',
          'This Idempotency-Key was used for another installation. Use a fresh key.',
        );
      }
      if (known) return { row: known, made: false };
      checkRequest(workspaceId, body);
      const id = newId('installPlan');
      const now = clock.now();
      const { variables, secretVariables, ...shown } = request;
      const bindings = shown.options.providerBindings ?? [];
      store.insertPlan({
        id,
        workspaceId,
        createdBy: actorId,
        keyDigest,
        requestDigest,
        request: shown,
        variables: vault.seal(contextOf({ id, workspaceId }), Buffer.from(JSON.stringify(variables))),
        secretVariables,
        phase: shown.preflight ? 'creating_capsule' : 'syncing_source',
        generation: 0,
        facts: {},
        diagnostic: null,
        createdAt: now,
        updatedAt: now,
        completedAt: null,
      });
      activity.record({
        workspaceId,
        actorId,
        action: 'install_plan.created',
        targetType: 'install_plan',
        targetId: id,
        metadata: bindings.length > 0 ? { providerBindings: bindings } : {},
      });
      tell(getRow(id));
      return { row: getRow(id), made: true };
    });
  }

  /** Installations and updates share one space of keys (shapes 1.4). */
  function requireUnusedKey(place: { workspaceId: string; createdBy: string; keyDigest: string }): void {
    if (store.findRevisionByKey(place))
      throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for an update. Use a fresh key.');
  }

  function checkRequest(workspaceId: string, body: CreateInstallPlan): void {
    const { source, capsule, variables = {} } = body;
    workspaces.requireLive(workspaceId);
    sources.requireUrl(source.url, '/source/url');
    sources.requireLane({ ref: source.ref, path: source.path }, { ref: '/source/ref', path: '/source/path' });
    sources.requireAuth(source.authConnectionId, workspaceId, '/source/authConnectionId');
    const field = findOversize(variables as JsonObject);
    if (field !== undefined)
      throw invalidArgument('install_variable_invalid', 'A variable is larger or deeper than an installation takes.', {
        field,
      });
    const sourceBuild = body.initialConfiguration?.sourceBuild;
    if (sourceBuild) refuseSecretArguments(sourceBuild, '/initialConfiguration/sourceBuild');
    checkAsked({ workspaceId, body });
    capsules.requireFreeName({ workspaceId, ...capsule });
  }

  const tell = (row: InstallRow) =>
    outbox.push({ workspaceId: row.workspaceId, kind: 'install_plan', recordId: row.id, status: row.phase });

  /** Takes the first undone step. The look-up part runs now; what comes back writes, and fences on the generation it started from. */
  async function advance(id: string, actorId: string): Promise<() => { answer: InstallPlanAnswer; waits: boolean }> {
    const row = getRow(id);
    const state = stateOf(row);
    const step = row.phase === 'failed' ? undefined : findStep(steps, state);
    if (!step) return () => ({ answer: answerOf(getRow(id)), waits: false });
    if (inProgress.has(id))
      throw new AppError(
        'reconcile_in_progress',
        'Another call is advancing this installation. Ask again in a moment.',
      );
    failpoint('install.step');
    inProgress.add(id);
    try {
      const commit = await takeStep(step, state);
      failpoint('install.taken');
      return () => persist({ row, commit, actorId });
    } finally {
      inProgress.delete(id);
    }
  }

  async function takeStep(step: Step<InstallState, InstallDiagnostic>, state: InstallState): Promise<() => Outcome> {
    try {
      return await step.take(state);
    } catch (error) {
      return () => asFailure(error);
    }
  }

  function persist({ row, commit, actorId }: { row: InstallRow; commit: () => Outcome; actorId: string }) {
    const outcome = attempt(commit);
    if (outcome.kind === 'waiting') return { answer: answerOf(getRow(row.id)), waits: true };
    const set = outcome.kind === 'failed' ? failureSet(outcome.diagnostic) : progressSet(row, outcome.state);
    if (!store.movePlan(row.id, row.generation, { ...set, updatedAt: clock.now() })) {
      throw new AppError('reconcile_conflict', 'The installation has moved on meanwhile. Read it again.');
    }
    const moved = getRow(row.id);
    activity.record({
      workspaceId: row.workspaceId,
      actorId,
      action: 'install_plan.advanced',
      targetType: 'install_plan',
      targetId: row.id,
      metadata: { phase: moved.phase },
    });
    tell(moved);
    failpoint('install.persisted');
    return { answer: answerOf(moved), waits: false };
  }

  /** A refusal inside a step undoes that step alone and becomes the diagnostic of the installation. */
  function attempt(commit: () => Outcome): Outcome {
    try {
      return db.write(commit);
    } catch (error) {
      return asFailure(error);
    }
  }

  const failureSet = (diagnostic: InstallDiagnostic): Partial<InstallRow> => ({
    phase: 'failed',
    diagnostic,
    completedAt: clock.now(),
    variables: null,
  });

  function progressSet(row: InstallRow, made: Partial<InstallState>): Partial<InstallRow> {
    const { row: _row, variables: _variables, reviewable, ...facts } = made;
    const all: InstallFacts = { ...row.facts, ...facts };
    const phase = reviewable ? 'reviewable' : phaseOf(all);
    return {
      facts: all,
      phase,
      ...(all.capsuleId !== undefined && { variables: null }),
      ...(phase === 'reviewable' && { completedAt: clock.now() }),
    };
  }

  return {
    create: (ask: Parameters<typeof create>[0]): { answer: InstallPlanAnswer; made: boolean } => {
      const { row, made } = create(ask);
      return { answer: answerOf(row), made };
    },
    advance,
    getAnswer: (id: string): InstallPlanAnswer => answerOf(getRow(id)),
    findWorkspace: (id: string): string | undefined => store.findPlan(id)?.workspaceId,
    getCreator: (id: string): string => getRow(id).createdBy,
    listPlans(workspaceId: string, query: PageAsk & { phase?: InstallPhase | undefined }) {
      const { rows, next } = readPage(cursors, query, {
        binding: `install-plans:${workspaceId}:${query.phase ?? ''}`,
        fetch: (after, limit) => store.listPlans({ workspaceId, phase: query.phase, before: beforeSeq(after), limit }),
        positionOf: ({ seq }) => [seq],
      });
      return { installPlans: rows.map(planOf), ...next };
    },
  };
}

/** Absent and empty optional parts are equal, so that a repeated request has the same digest. */
const normalize = ({
  source,
  capsule,
  options = {},
  preflight,
  variables = {},
  secretVariables = [],
  initialConfiguration,
}: CreateInstallPlan) => ({
  source,
  capsule,
  options,
  ...(preflight && { preflight }),
  ...(initialConfiguration?.sourceBuild && { initialConfiguration }),
  variables,
  secretVariables: [...new Set(secretVariables)].sort(),
});

const diagnosticCodes: Readonly<Partial<Record<string, InstallDiagnosticCode>>> = {
  capsule_name_taken: 'capsule_identity_ambiguous',
  provider_binding_mismatch: 'provider_binding_mismatch',
  required_interface_missing: 'required_interface_missing',
  repository_install_ux_stale: 'install_compilation_identity_changed',
};

/** Refusals of the rooms below end the installation; what may pass (no tool, full disk) is thrown on and can be tried again. */
function asFailure(error: unknown): { kind: 'failed'; diagnostic: InstallDiagnostic } {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const reason = error.details?.reason;
  const named = installDiagnosticCodes.find((one) => one === error.details?.diagnosticCode);
  const code = named ?? diagnosticCodes[reason ?? error.code] ?? 'install_plan_failed';
  return {
    kind: 'failed',
    diagnostic: { code, message: error.message.slice(0, 256), ...(reason !== undefined && { reason }) },
  };
}

/** The phase follows from what is there. */
function phaseOf(facts: InstallFacts): InstallPhase {
  if (facts.sourceSnapshotId === undefined) return 'syncing_source';
  if (facts.installModulePath === undefined) return 'compiling_install';
  if (facts.compatibilityReportId === undefined) return 'analyzing_compatibility';
  return facts.capsuleId === undefined ? 'creating_capsule' : 'planning';
}

const planOf = (row: InstallRow): InstallPlan => ({
  id: row.id,
  workspaceId: row.workspaceId,
  createdBy: row.createdBy,
  operation: 'install',
  requestDigest: row.requestDigest,
  source: row.request.source,
  capsule: row.request.capsule,
  options: row.request.options ?? {},
  ...(row.request.preflight && { preflight: row.request.preflight }),
  ...row.facts,
  phase: row.phase,
  generation: row.generation,
  ...(row.diagnostic && { diagnostic: row.diagnostic }),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
  ...(row.completedAt !== null && { completedAt: isoTime(row.completedAt) }),
});

function answerOf(row: InstallRow): InstallPlanAnswer {
  const installPlan = planOf(row);
  const self = `${apiPrefix}/install-plans/${row.id}`;
  const ended = row.phase === 'reviewable' || row.phase === 'failed';
  return {
    installPlan,
    nextAction: row.phase === 'reviewable' ? 'review_run' : ended ? 'none' : 'reconcile',
    links: {
      self,
      ...(!ended && { reconcile: `${self}/reconcile` }),
      ...(installPlan.planRunId && { run: `${apiPrefix}/runs/${installPlan.planRunId}` }),
    },
  };
}
