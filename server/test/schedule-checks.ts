import type { CapsuleStatus } from '#shared/capsules/contract';
import { capsuleMachine } from '#shared/capsules/machine';
import { isTerminal, type Machine } from '#shared/kernel/machine';
import { isApplyType, isPlanType, type RunStatus, type RunType } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import type { Db } from '../src/kernel/db.ts';

/**
 * Fields of a Run and of a Capsule that the checks compare, read by plain SQL because they are read after each of many
 * steps.
 */
export type RunFacts = {
  id: string;
  capsuleId: string;
  type: RunType;
  status: RunStatus;
  planRunId: string | null;
  applyRunId: string | null;
  planDigest: string | null;
  planExpiresAt: number | null;
  supersededAt: number | null;
  executionAuthorityEpoch: number | null;
  baseStateGeneration: number | null;
  errorCode: string | null;
  createdAt: number;
  finishedAt: number | null;
};
type CapsuleFacts = {
  id: string;
  status: CapsuleStatus;
  executionAuthorityEpoch: number;
  currentStateGeneration: number;
  currentStateVersionId: string | null;
  runtimeSafety: string | null;
  /** 1 when the newest snapshot of its lane is not the one it uses. */
  isBehind: number;
};
type StateFacts = { id: string; capsuleId: string; generation: number; writer: string; isPartial: number };
export type Seen = {
  runs: Map<string, RunFacts>;
  capsules: Map<string, CapsuleFacts>;
  states: StateFacts[];
  lastAuditSeq: number;
};

const runColumns = `id, capsule_id AS capsuleId, type, status, plan_run_id AS planRunId, apply_run_id AS applyRunId,
  plan_digest AS planDigest, plan_expires_at AS planExpiresAt, superseded_at AS supersededAt,
  execution_authority_epoch AS executionAuthorityEpoch, base_state_generation AS baseStateGeneration,
  error_code AS errorCode, created_at AS createdAt, finished_at AS finishedAt`;
const capsuleColumns = `id, status, execution_authority_epoch AS executionAuthorityEpoch,
  current_state_generation AS currentStateGeneration, current_state_version_id AS currentStateVersionId,
  runtime_safety AS runtimeSafety, EXISTS (SELECT 1 FROM source_lanes lane WHERE lane.source_id = capsules.source_id
    AND lane.ref = adopted_source_revision ->> 'ref' AND lane.path = adopted_source_revision ->> 'path'
    AND lane.snapshot_id <> adopted_source_revision ->> 'sourceSnapshotId') AS isBehind`;
const stateColumns = 'id, capsule_id AS capsuleId, generation, created_by_run_id AS writer, partial AS isPartial';

/** Reads the records of two Capsules, and checks the invariants between one reading and the next. */
export function createStateReader({ sqlite }: Db, capsuleIds: readonly [string, string]): () => Seen {
  const all = <T>(text: string) => sqlite.prepare<unknown[], T>(text);
  const runs = all<RunFacts>(`SELECT ${runColumns} FROM runs WHERE capsule_id IN (?, ?) ORDER BY seq`);
  const capsules = all<CapsuleFacts>(`SELECT ${capsuleColumns} FROM capsules WHERE id IN (?, ?)`);
  const states = all<StateFacts>(
    `SELECT ${stateColumns} FROM state_versions WHERE capsule_id IN (?, ?) ORDER BY generation`,
  );
  const selectLastAuditSeq = sqlite.prepare('SELECT max(seq) FROM audit_events').pluck();
  const named = <T extends { id: string }>(rows: T[]) => new Map(rows.map((row) => [row.id, row]));
  return () => ({
    runs: named(runs.all(...capsuleIds)),
    capsules: named(capsules.all(...capsuleIds)),
    states: states.all(...capsuleIds),
    lastAuditSeq: selectLastAuditSeq.get() as number,
  });
}

/** Throws when an invariant is violated, within this reading or between two readings. */
export function checkStep(before: Seen, now: Seen): void {
  checkRuns(before, now);
  for (const id of now.capsules.keys()) checkCapsule(id, { before, now });
  checkNewApplies(before, now);
  checkAuditTrail(before, now);
}

/** Cheaper than an expectation, of which a schedule would need thousands. */
function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`broken: ${what}`);
}
const same = (a: readonly unknown[], b: readonly unknown[]): boolean => a.every((value, at) => value === b[at]);

/** Reports whether the machine can lead from one state to the other, in any number of transitions. */
function leadsTo<S extends string>(machine: Machine<S, string>, from: S, to: S): boolean {
  const reached = new Set<S>([from]);
  for (const state of reached) for (const next of Object.values(machine[state])) reached.add(next as S);
  return reached.has(to);
}

const open = (run: RunFacts): boolean => !isTerminal(runMachine, run.status);

function checkRuns(before: Seen, now: Seen): void {
  for (const [id, run] of now.runs) {
    const was = before.runs.get(id);
    must(leadsTo(runMachine, was?.status ?? 'queued', run.status), `${id} went from ${was?.status} to ${run.status}`);
    must(open(run) === (run.finishedAt === null), `${id} is ${run.status} and ended at ${run.finishedAt}`);
    must((run.status === 'failed') === (run.errorCode !== null), `${id} is ${run.status} with ${run.errorCode}`);
    if (!was) continue;
    const end = (one: RunFacts) => [one.status, one.finishedAt, one.errorCode];
    must(open(was) || same(end(run), end(was)), `${id} ended twice`);
    const bonds = (one: RunFacts) => [one.planRunId, one.baseStateGeneration, one.executionAuthorityEpoch];
    must(same(bonds(run), bonds(was)), `${id} is bound to something else now`);
  }
  for (const id of before.runs.keys()) must(now.runs.has(id), `${id} is gone`);
}

function checkCapsule(id: string, { before, now }: { before: Seen; now: Seen }): void {
  const was = before.capsules.get(id) as CapsuleFacts;
  const is = now.capsules.get(id) as CapsuleFacts;
  const own = [...now.runs.values()].filter(({ capsuleId }) => capsuleId === id);
  must(leadsTo(capsuleMachine, was.status, is.status), `a Capsule went from ${was.status} to ${is.status}`);
  must(own.filter(({ status }) => status === 'running').length <= 1, 'two Runs of a Capsule run at once');
  must(is.status !== 'destroyed' || !own.some(open), 'a Run is open on a Capsule that is gone');
  const applies = own.filter(({ type }) => isApplyType(type));
  must(new Set(applies.map(({ planRunId }) => planRunId)).size === applies.length, 'a plan was applied twice');
  for (const { planRunId, id: applyId } of applies)
    must(now.runs.get(planRunId ?? '')?.applyRunId === applyId, `${planRunId} does not name its apply`);
  const epochs = is.executionAuthorityEpoch - was.executionAuthorityEpoch;
  must(epochs === 0 || epochs === 1, `the epoch went by ${epochs}`);
  const grown = is.currentStateGeneration - was.currentStateGeneration;
  must(grown === 0 || grown === 1, `the generation went by ${grown}`);
  const states = now.states.filter(({ capsuleId }) => capsuleId === id);
  const newest = states.at(-1);
  must(
    is.currentStateGeneration === states.length,
    'a generation without its state, or a state without its generation',
  );
  must(is.currentStateVersionId === (newest?.id ?? null), 'the newest state is not the current one');
  for (const [at, { generation, writer: by, isPartial }] of states.entries()) {
    const writer = now.runs.get(by);
    must(generation === at + 1, `generation ${generation} follows ${at}`);
    must(writer?.capsuleId === id && writer.baseStateGeneration === at, `generation ${generation} is of a stale Run`);
    must(
      writer?.status === (isPartial === 1 ? 'failed' : 'succeeded'),
      `a ${writer?.status} Run left generation ${generation}`,
    );
  }
  if (grown === 1 && newest) checkCommit(is, { newest, epochs, writer: now.runs.get(newest.writer) });
}

/** A commit uses the authority that holds at that moment. */
function checkCommit(
  capsule: CapsuleFacts,
  { newest, epochs, writer }: { newest: StateFacts; epochs: number; writer: RunFacts | undefined },
): void {
  must(epochs === 0 && writer?.executionAuthorityEpoch === capsule.executionAuthorityEpoch, 'a stale commit');
  const applied = capsule.isBehind === 1 ? 'stale' : 'active';
  const reached = writer?.type === 'destroy_apply' ? 'destroyed' : applied;
  const expected = newest.isPartial === 1 ? ['error', 'unknown'] : [reached, 'safe'];
  must(same(expected, [capsule.status, capsule.runtimeSafety]), `a Capsule is ${capsule.status} after a commit`);
}

/** An apply only starts from a plan that was valid and not too old when it was requested. */
function checkNewApplies(before: Seen, now: Seen): void {
  for (const [id, run] of now.runs) {
    if (before.runs.has(id) || !isApplyType(run.type)) continue;
    const from = before.runs.get(run.planRunId ?? '') as RunFacts;
    must(same([from.status, from.supersededAt, from.applyRunId], ['succeeded', null, null]), `${from.id} was applied`);
    must((from.planExpiresAt ?? 0) > run.createdAt, `${from.id} was applied after its time`);
    const capsule = before.capsules.get(run.capsuleId ?? '');
    must(from.executionAuthorityEpoch === capsule?.executionAuthorityEpoch, `${from.id} is of another epoch`);
    must(from.baseStateGeneration === capsule?.currentStateGeneration, `${from.id} is of another generation`);
  }
}

/** Every Run that was created or has ended, and every Capsule that a person changed, has a row in the audit trail. */
function checkAuditTrail(before: Seen, now: Seen): void {
  const changed = [...now.runs.values()].filter((run) => {
    const was = before.runs.get(run.id);
    if (!was) return true;
    return open(was) && !open(run) && !(isPlanType(run.type) && run.status === 'succeeded');
  });
  const moved = [...now.capsules.values()].filter((row) => {
    const was = before.capsules.get(row.id);
    return (
      row.executionAuthorityEpoch !== was?.executionAuthorityEpoch ||
      (row.status === 'destroyed' && was.status !== 'destroyed')
    );
  });
  must(
    now.lastAuditSeq - before.lastAuditSeq >= changed.length + moved.length,
    'something happened without a row in the trail',
  );
}
