import type { ActivityService } from '#server/domains/activity/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { InstallPlanAnswer, installPlansApi } from '#shared/install-plans/api';
import type { InstallDiagnosticCode, InstallPhase, InstallPlan } from '#shared/install-plans/contract';
import { limits } from '#shared/limits';
import { type CommitCapsulePorts, commitCapsule, type DirectCapsule } from './commit-capsule.ts';
import {
  type CreateInstallInput,
  type CreateInstallPorts,
  checkRequest,
  newInstallRow,
  normalize,
  requestDigestOf,
} from './create.ts';
import { type IdempotencyKey, publicPart } from './plan-record.ts';
import { findDiagnosticCode } from './refusal-codes.ts';
import type { InstallFacts } from './schema.ts';
import { stateOf } from './state.ts';
import { createInstallSteps, type InstallStepPorts } from './steps.ts';
import { createStepwisePlans } from './stepwise-plans.ts';
import { createInstallPlansStore, type InstallPlansStore, type InstallRow } from './store.ts';

export type InstallPlansService = ReturnType<typeof createInstallPlansService>;

type Ports = CreateInstallPorts &
  InstallStepPorts &
  CommitCapsulePorts & {
    db: Db;
    clock: Clock;
    cursors: Cursors;
    outbox: Outbox;
    vault: Vault;
    activity: Pick<ActivityService, 'record'>;
    /** True when an update was created under this key. */
    hasRevisionPlan: (key: IdempotencyKey) => boolean;
  };

/** Installations from Git: requested once, advanced step by step, ending at a plan that a person reviews. */
export function createInstallPlansService(ports: Ports) {
  const { db } = ports;
  const store = createInstallPlansStore(db);
  const stepwise = createInstallKind(ports, store);

  return {
    create: (input: CreateInstallInput & { key: string }): { answer: InstallPlanAnswer; isNew: boolean } =>
      db.write(() => {
        const request = normalize(input.body);
        const keyed = { ...input, requestDigest: requestDigestOf(ports, request) };
        const { row, isNew } = stepwise.createOnce(keyed, (columns) => {
          checkRequest(ports, input);
          store.insert(newInstallRow(ports, columns, request));
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
    listPlans: (workspaceId: string, query: ListQuery) => listPlans(ports, store, { workspaceId, query }),
    commitCapsule: (body: DirectCapsule, actorId: string) => commitCapsule(ports, body, actorId),
  };
}

const createInstallKind = (ports: Ports, store: InstallPlansStore) =>
  createStepwisePlans({
    db: ports.db,
    clock: ports.clock,
    noun: 'installation',
    recordNoun: 'install plan',
    folder: 'install-plans',
    newId: () => newId('installPlan'),
    isKeyTaken: ports.hasRevisionPlan,
    steps: createInstallSteps(ports),
    stateOf: (row: InstallRow) => stateOf(ports.vault, row),
    phaseOf,
    codeOf: (refusal): InstallDiagnosticCode => findDiagnosticCode(refusal) ?? 'install_plan_failed',
    retryable: {
      code: 'install_plan_reconcile_retryable',
      message: 'The step is not complete yet. Reconcile the installation again.',
    },
    cancelled: { code: 'install_plan_cancelled', message: 'The installation was cancelled.' },
    expired: {
      code: 'install_plan_expired',
      message: `The installation was not continued for ${limits.abandonedPlanDays} days, so it was ended. Start a new one.`,
    },
    store: {
      ...store,
      // The private variables are deleted when the Capsule's configuration contains them or the installation has ended.
      move: (id, generation, to) => {
        const isSettled = to.phase === 'failed' || to.facts?.capsuleId !== undefined;
        return store.move(id, generation, { ...to, ...(isSettled && { variables: null }) });
      },
    },
    recordAdvanced: (row, entry) => record(ports, row, { action: 'install_plan.advanced', ...entry }),
    answerOf: (row, { common, next }): InstallPlanAnswer => ({ installPlan: planOf(row, common), ...next }),
  });

type Entry = Pick<Parameters<ActivityService['record']>[0], 'actorId' | 'action' | 'metadata'>;

function record({ activity, outbox }: Ports, { id, workspaceId, phase }: InstallRow, entry: Entry): void {
  activity.record({ workspaceId, ...entry, targetType: 'install_plan', targetId: id });
  outbox.push({ workspaceId, kind: 'install_plan', recordId: id, status: phase });
}

function recordCreated(ports: Ports, row: InstallRow): void {
  const bindings = row.request.options?.providerBindings ?? [];
  const metadata = bindings.length > 0 ? { providerBindings: bindings } : {};
  record(ports, row, { actorId: row.createdBy, action: 'install_plan.created', metadata });
}

type ListQuery = ListQueryOf<typeof installPlansApi.listInstallPlans>;

function listPlans(
  { cursors }: Ports,
  store: InstallPlansStore,
  { workspaceId, query }: { workspaceId: string; query: ListQuery },
) {
  const { phase, ...page } = query;
  const { rows, next } = readPage(cursors, page, {
    binding: `install-plans:${workspaceId}:${phase ?? ''}`,
    fetch: (after, limit) => store.listPlans({ workspaceId, phase, before: beforeSeq(after), limit }),
    positionOf: ({ seq }) => [seq],
  });
  return { installPlans: rows.map((row) => planOf(row, publicPart(row))), ...next };
}

/** Derives the phase from the records that exist. */
function phaseOf(facts: InstallFacts): InstallPhase {
  if (facts.sourceSnapshotId === undefined) return 'syncing_source';
  if (facts.installModulePath === undefined) return 'compiling_install';
  if (facts.compatibilityReportId === undefined) return 'analyzing_compatibility';
  return facts.capsuleId === undefined ? 'creating_capsule' : 'planning';
}

type CommonPart = ReturnType<typeof publicPart<InstallPhase, InstallDiagnosticCode>>;

const planOf = ({ request, facts }: InstallRow, common: CommonPart): InstallPlan => ({
  ...common,
  operation: 'install',
  source: request.source,
  capsule: request.capsule,
  options: request.options ?? {},
  ...(request.preflight && { preflight: request.preflight }),
  ...facts,
});
