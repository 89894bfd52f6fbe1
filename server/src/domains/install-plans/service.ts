import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { findOversize } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type PageQuery, readPage } from '#server/kernel/page';
import type { CreateInstallPlan, InstallPlanAnswer } from '#shared/install-plans/api';
import type { InstallPhase, InstallPlan } from '#shared/install-plans/contract';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import { refuseSecretArguments } from './build-checks.ts';
import { cancelledInstall, expiredInstall } from './ends.ts';
import type { InstallState, InstallStep } from './state.ts';
import { advancedMetadata, findRepeat, fresh, nextStepOf, publicPart } from './plan-record.ts';
import { createReconciler } from './reconcile.ts';
import { findDiagnosticCode } from './refusal-codes.ts';
import type { InstallFacts } from './schema.ts';
import { createCoordinatorsStore, type InstallRow } from './store.ts';

export type CoordinatorsService = ReturnType<typeof createCoordinatorsService>;
type ActivityDetails = Pick<Parameters<ActivityService['record']>[0], 'actorId' | 'action' | 'metadata'>;

type NewInstall = { workspaceId: string; actorId: string; body: CreateInstallPlan };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  sources: Pick<SourcesService, 'requireReadable' | 'requireLane' | 'requireAuth'>;
  capsules: Pick<CapsulesService, 'requireFreeName'>;
  /** Rules that apply to the request only for an installation with bindings or a preflight. */
  checkInstallRequest: (input: { workspaceId: string; body: CreateInstallPlan }) => void;
  steps: readonly InstallStep[];
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
  checkInstallRequest,
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

  function getRow(id: string): InstallRow {
    const row = store.installs.find(id);
    if (!row) throw notFound('install plan');
    return row;
  }

  function stateOf(row: InstallRow): InstallState {
    const variables =
      row.variables === null ? {} : (parseExactly(vault.open(contextOf(row), row.variables).toString()) as JsonObject);
    return { ...row.facts, row, variables };
  }

  /** Same key and same request: the same record. Same key and another request: 409 `idempotency_conflict`. */
  function create(input: NewInstall & { key: string }): {
    row: InstallRow;
    isNew: boolean;
  } {
    const { workspaceId, actorId, body } = input;
    const keyDigest = sha256Hex(input.key);
    const request = normalize(body);
    const requestDigest = `sha256:${hmacHex(digestKey(), canonicalJson(request))}`;
    return db.write(() => {
      const idempotencyKey = { workspaceId, createdBy: actorId, keyDigest };
      const known = findRepeat(
        store.installs.findByKey(idempotencyKey),
        store.revisions.findByKey(idempotencyKey),
        requestDigest,
      );
      if (known) return { row: known, isNew: false };
      checkRequest(input);
      const id = newId('installPlan');
      const now = clock.now();
      const { variables, secretVariables, ...shown } = request;
      const bindings = shown.options.providerBindings ?? [];
      store.installs.insert({
        ...fresh,
        ...idempotencyKey,
        id,
        requestDigest,
        request: shown,
        variables: vault.seal(contextOf({ id, workspaceId }), Buffer.from(JSON.stringify(variables))),
        secretVariables,
        phase: shown.preflight ? 'creating_capsule' : 'syncing_source',
        createdAt: now,
        updatedAt: now,
      });
      const row = getRow(id);
      const metadata = bindings.length > 0 ? { providerBindings: bindings } : {};
      record(row, { actorId, action: 'install_plan.created', metadata });
      return { row, isNew: true };
    });
  }

  function checkRequest({ workspaceId, actorId, body }: NewInstall): void {
    const { source, capsule, variables = {} } = body;
    workspaces.requireLive(workspaceId);
    sources.requireReadable(source.url, { actorId, workspaceId }, '/source/url');
    sources.requireLane({ ref: source.ref, path: source.path }, { ref: '/source/ref', path: '/source/path' });
    sources.requireAuth(source.authConnectionId, workspaceId, '/source/authConnectionId');
    const field = findOversize(variables as JsonObject);
    if (field !== undefined)
      throw invalidArgument(
        'install_variable_invalid',
        'A variable is larger or deeper than an installation accepts. Shorten it.',
        {
          field,
        },
      );
    const sourceBuild = body.initialConfiguration?.sourceBuild;
    if (sourceBuild) refuseSecretArguments(sourceBuild, '/initialConfiguration/sourceBuild');
    checkInstallRequest({ workspaceId, body });
    capsules.requireFreeName({ workspaceId, ...capsule });
  }

  function record({ id, workspaceId, phase }: InstallRow, details: ActivityDetails): void {
    activity.record({ workspaceId, ...details, targetType: 'install_plan', targetId: id });
    outbox.push({ workspaceId, kind: 'install_plan', recordId: id, status: phase });
  }

  const reconciler = createReconciler({
    db,
    clock,
    noun: 'installation',
    steps,
    getRow,
    stateOf,
    phaseOf,
    codeOf: (refusal) => findDiagnosticCode(refusal) ?? 'install_plan_failed',
    retryable: {
      code: 'install_plan_reconcile_retryable',
      message: 'The step is not complete yet. Reconcile the installation again.',
    },
    // The private variables are deleted when the Capsule's configuration contains them or the installation has ended.
    move: (id, generation, to) =>
      store.installs.move(id, generation, {
        ...to,
        ...((to.phase === 'failed' || to.facts?.capsuleId !== undefined) && { variables: null }),
      }),
    record: (row, actorId) =>
      record(row, { actorId, action: 'install_plan.advanced', metadata: advancedMetadata(row) }),
    answerOf,
  });

  return {
    create: (input: Parameters<typeof create>[0]): { answer: InstallPlanAnswer; isNew: boolean } => {
      const { row, isNew } = create(input);
      return { answer: answerOf(row), isNew };
    },
    advance: reconciler.advance,
    /** In the caller's transaction. 409 `reconcile_in_progress`; an installation that has ended is unchanged. */
    cancel: (id: string, actorId: string): InstallPlanAnswer => reconciler.fail(id, cancelledInstall, actorId),
    /** Ends abandoned installations; in the caller's transaction. */
    expiring: {
      findOldestStep: store.installs.findOldestStep,
      listUntouchedSince: store.installs.listUntouchedSince,
      expire: (id: string): InstallPlanAnswer => reconciler.fail(id, expiredInstall),
    },
    getAnswer: (id: string): InstallPlanAnswer => answerOf(getRow(id)),
    findWorkspace: (id: string): string | undefined => store.installs.find(id)?.workspaceId,
    getCreator: (id: string): string => getRow(id).createdBy,
    listPlans(workspaceId: string, query: PageQuery & { phase?: InstallPhase | undefined }) {
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

/** Derives the phase from the records that exist. */
function phaseOf(facts: InstallFacts): InstallPhase {
  if (facts.sourceSnapshotId === undefined) return 'syncing_source';
  if (facts.installModulePath === undefined) return 'compiling_install';
  if (facts.compatibilityReportId === undefined) return 'analyzing_compatibility';
  return facts.capsuleId === undefined ? 'creating_capsule' : 'planning';
}

const planOf = (row: InstallRow): InstallPlan => ({
  ...publicPart(row),
  operation: 'install',
  source: row.request.source,
  capsule: row.request.capsule,
  options: row.request.options ?? {},
  ...(row.request.preflight && { preflight: row.request.preflight }),
  ...row.facts,
});

const answerOf = (row: InstallRow): InstallPlanAnswer => ({
  installPlan: planOf(row),
  ...nextStepOf('install-plans', row),
});
