import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '#shared/kernel/json';
import type { PlanDocument } from '#shared/plans/document';
import { isApplyType, isPlanType } from '#shared/runs/contract';
import type { FeedItem } from '#shared/runs/feed';
import type { RunEvent } from '#shared/runs/machine';
import { type CapsuleRow, createCapsulesStore } from '../src/domains/capsules/store.ts';
import { createDriftStore } from '../src/domains/drift/index.ts';
import { createConfigDigests } from '../src/domains/install-configs/index.ts';
import { type ConfigRow, createInstallConfigsStore } from '../src/domains/install-configs/store.ts';
import { createPlansStore, type PlanSeal } from '../src/domains/plans/store.ts';
import { type CapsuleRunInput, createRunsService, type NewRun, type RunRecord } from '../src/domains/runs/index.ts';
import type { RunChanges, RunInsert } from '../src/domains/runs/store.ts';
import { createStateVersionsStore } from '../src/domains/state-versions/store.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { Db } from '../src/kernel/db.ts';
import { digestOf } from '../src/kernel/digest.ts';
import { newId } from '../src/kernel/ids.ts';
import { createOutbox } from '../src/kernel/outbox.ts';
import { createCursors } from '../src/kernel/page.ts';
import type { TestServer } from './harness.ts';
import { capsuleRunInput, syncInput } from './run-input.ts';

/** Rows that are inserted here have no sealed values. */
const noVault = { installationKey: () => '', open: () => Buffer.alloc(0) };

const runsOf = (db: Db) =>
  createRunsService({ db, clock: systemClock, outbox: createOutbox(db, systemClock), cursors: createCursors('test') });

/** Recomputes the digest of a row that a test changed by hand. */
export const resealConfig = (server: TestServer, id: string): void =>
  server.ledger((db) => {
    const row = createInstallConfigsStore(db).findConfig(id);
    if (!row || row.secrets !== null) throw new Error('only a row without sealed values can be sealed here');
    const digest = createConfigDigests(noVault).digestOfRecord(row, undefined);
    db.sqlite.prepare('UPDATE install_configs SET digest = ? WHERE id = ?').run(digest, id);
  });

/** A Capsule with its configuration, as an installation leaves them; with a Source of its own unless one is named. */
export async function seedCapsule(server: TestServer, more: Partial<CapsuleRow> = {}): Promise<CapsuleRow> {
  const { workspaceId } = server;
  const body = { workspaceId, name: 'Modules', url: 'https://example.com/a' };
  const sourceId = more.sourceId ?? (await server.api.createSource({ body })).body.source.id;
  const stamps = { createdAt: Date.now(), updatedAt: Date.now() };
  const id = newId('capsule');
  const config: Omit<ConfigRow, 'digest'> = {
    id: `icfg_${digestOf(id).slice(7, 23)}`,
    workspaceId,
    name: 'Config',
    derived: true,
    modulePath: '.',
    provenance: { sourceId, sourceSnapshotId: 'snap_none', ref: 'HEAD', path: '.', reportId: 'caprep_none' },
    variableMapping: {},
    secretVariables: [],
    secrets: null,
    parts: null,
    policy: {},
    allOutputs: true,
    ...stamps,
  };
  const row: CapsuleRow = {
    id,
    workspaceId,
    projectId: `prj_default_${workspaceId}`,
    name: id,
    slug: id.toLowerCase().replace('_', '-'),
    environment: 'test',
    sourceId,
    installConfigId: config.id,
    status: 'pending',
    currentStateVersionId: null,
    currentStateGeneration: 0,
    executionAuthorityEpoch: 1,
    runtimeSafety: null,
    holdReason: null,
    holdUntil: null,
    heldBy: null,
    heldAt: null,
    disabledFrom: null,
    writablePaths: null,
    note: null,
    driftSchedule: null,
    runnerPoolId: null,
    labels: null,
    compatibilityReportId: null,
    compatibilityStatus: null,
    autoUpdate: null,
    adoptedSourceRevision: null,
    ...stamps,
    ...more,
  };
  server.ledger((db) => {
    const digest = createConfigDigests(noVault).digestOfRecord(config, undefined);
    createInstallConfigsStore(db).insertConfig({ ...config, digest });
    createCapsulesStore(db).insertCapsule(row);
  });
  return row;
}

type Seed = Partial<Omit<RunInsert, 'seq' | 'status' | 'createdAt' | 'input'>> & {
  input?: Partial<CapsuleRunInput>;
  /** Transitions after the first status, in order. */
  moves?: readonly RunEvent[];
  set?: RunChanges;
  feed?: readonly FeedItem[];
};

/** Returns a Run with the members that its type needs. */
function newRunOf({ type = 'plan', input, ...more }: Omit<Seed, 'moves' | 'set' | 'feed'>, scope: SeedScope): NewRun {
  const common = { ...scope, ...more };
  if (isPlanType(type))
    return { id: newId('plan'), ...common, type, capsuleId: newId('capsule'), input: capsuleRunInput(input) };
  if (isApplyType(type)) {
    const planRunId = more.planRunId ?? newId('plan');
    return {
      id: newId('apply'),
      ...common,
      type,
      capsuleId: newId('capsule'),
      planRunId,
      input: capsuleRunInput(input),
    };
  }
  if (type === 'source_sync')
    return { id: newId('sync'), ...common, type, sourceId: more.sourceId ?? newId('source'), input: syncInput };
  if (type === 'restore') return { id: newId('restore'), ...common, type, input: { capsuleIds: [newId('capsule')] } };
  return { id: newId('plan'), ...common, type };
}
type SeedScope = { workspaceId: string; createdBy: string };

/** Inserts a Run that went through these transitions. The server is not notified, so nothing executes it. */
export function seedRun(
  server: TestServer,
  { moves = [], set = {}, feed = [], capsuleId, ...more }: Seed = {},
): RunRecord {
  // Linked to its Capsule after the transitions, because a Capsule can have only one running Run.
  const last = { ...set, ...(capsuleId !== undefined && { capsuleId }) };
  return server.ledger((db) => {
    const runs = runsOf(db);
    const scope = { workspaceId: server.workspaceId, createdBy: server.subject };
    const { id } = runs.create(newRunOf(more, scope), feed);
    for (const event of moves) runs.move(id, event);
    if (Object.keys(last).length > 0) runs.store.updateRun(id, last);
    return runs.getRecord(id);
  });
}

export const appendFeed = (server: TestServer, runId: string, items: readonly FeedItem[]): void =>
  server.ledger((db) => runsOf(db).append(runId, items));

export const logLine = (text: string, at = 0): FeedItem => ({
  kind: 'log',
  at,
  payload: { phase: 'plan', stream: 'stdout', level: 'info', text },
});

/** Blocks the other Runs of a Capsule: one of its Runs is `running` in the queue. */
export const holdCapsule = (server: TestServer, capsuleId: string): RunRecord =>
  seedRun(server, { type: 'drift_check', capsuleId, moves: ['claim'] });

const emptyPlan: PlanDocument = {
  formatVersion: '1',
  toolVersion: '1.12.6',
  summary: { add: 0, change: 0, destroy: 0 },
  resources: [],
  outputs: [],
  drift: [],
  diagnostics: [],
  resourceCount: 0,
  unchangedCount: 0,
};

/** A computed plan of a Capsule with its seal and its sealed file, ready to be applied, or as the changes specify. */
export function seedPlan(
  server: TestServer,
  capsule: Pick<CapsuleRow, 'id' | 'executionAuthorityEpoch' | 'currentStateGeneration' | 'installConfigId'>,
  more: Seed & { seal?: Partial<PlanSeal> | null; document?: Partial<PlanDocument>; file?: boolean } = {},
): RunRecord {
  const { seal = {}, document = {}, file = true, set = {}, ...seed } = more;
  const run = seedRun(server, {
    capsuleId: capsule.id,
    executionAuthorityEpoch: capsule.executionAuthorityEpoch,
    baseStateGeneration: capsule.currentStateGeneration,
    moves: ['claim', 'finish'],
    facts: { policyStatus: 'pass' },
    input: { installConfigId: capsule.installConfigId },
    ...seed,
    set: { planDigest: digestOf('plan'), planExpiresAt: Date.now() + 3_600_000, ...set },
  });
  const whole: PlanSeal = {
    runId: run.id,
    capsuleId: capsule.id,
    planFileDigest: digestOf('file'),
    lock: '',
    lockDigest: digestOf('lock'),
    requirementsDigest: digestOf('requirements'),
    stateLineage: '',
    stateSerial: 0,
    toolName: 'tofu',
    toolVersion: '1.12.6',
    configDigest: digestOf('config'),
    builtDigest: null,
    addresses: [],
    createdAt: Date.now(),
    ...seal,
  };
  if (seal !== null) server.ledger((db) => createPlansStore(db).insertArtifact(whole, { ...emptyPlan, ...document }));
  const dir = path.join(server.dataDir, 'runs', run.id);
  fs.mkdirSync(dir, { recursive: true });
  if (file) fs.writeFileSync(path.join(dir, 'plan'), 'sealed');
  return run;
}

/** Marks a Capsule as drifted; returns the digest of the drift. */
export function seedDrift(server: TestServer, { id: capsuleId, workspaceId }: Pick<CapsuleRow, 'id' | 'workspaceId'>) {
  const { id: runId } = seedRun(server, { type: 'drift_check', capsuleId, moves: ['claim', 'finish'] });
  const digest = digestOf('drift');
  const counts = { changed: 1, deleted: 0, digest };
  const none = { acknowledgedDigest: null, acknowledgedBy: null, acknowledgedAt: null, reason: null };
  const row = { capsuleId, workspaceId, runId, status: 'drifted' as const, checkedAt: Date.now(), ...counts, ...none };
  server.ledger((db) => createDriftStore(db).saveMark(row));
  return digest;
}

/** A committed state that becomes the current one of a Capsule; its sealed bytes are not a real state. */
export function seedState(
  server: TestServer,
  capsule: Pick<CapsuleRow, 'id' | 'workspaceId' | 'environment'>,
  more: { generation: number; partial?: boolean; outputs?: JsonObject; sourceSnapshotId?: string },
): string {
  const { generation, partial = false, outputs = {} } = more;
  const id = newId('stateVersion');
  const { workspaceId, id: capsuleId, environment } = capsule;
  const createdAt = Date.now();
  server.ledger((db) => {
    const store = createStateVersionsStore(db);
    store.insertState({
      id,
      workspaceId,
      capsuleId,
      environment,
      generation,
      createdByRunId: newId('apply'),
      sourceSnapshotId: more.sourceSnapshotId ?? null,
      resourceCount: 0,
      partial,
      lineage: 'lineage',
      serial: generation,
      toolName: 'tofu',
      stateDigest: digestOf(id),
      state: Buffer.alloc(0),
      createdAt,
    });
    store.insertOutput({
      id: newId('output'),
      workspaceId,
      capsuleId,
      stateVersionId: id,
      stateGeneration: generation,
      publicOutputs: outputs,
      workspaceOutputs: outputs,
      outputDigest: digestOf('outputs'),
      createdAt,
    });
    db.sqlite
      .prepare('UPDATE capsules SET current_state_version_id = ?, current_state_generation = ? WHERE id = ?')
      .run(id, generation, capsuleId);
  });
  return id;
}
