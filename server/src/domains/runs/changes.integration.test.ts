import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunListChange, RunTrigger } from '#shared/runs/changes';
import { isApplyType, type RunStatus, type RunType } from '#shared/runs/contract';
import { timesOf } from '../../../../e2e/fixtures/depth.ts';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { capsuleRunInput, syncInput } from '../../../test/run-input.ts';
import type { Db } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { createOutbox } from '../../kernel/outbox.ts';
import { createCursors } from '../../kernel/page.ts';
import { createRunsService, type RunsService } from './service.ts';

const clock = heldClock(Date.now());
let dir: string;
let db: Db;
let runs: RunsService;
beforeAll(() => {
  dir = tempDir();
  db = openTestLedger(dir);
  db.sqlite.prepare('INSERT INTO accounts (id, created_at) VALUES (?, 1)').run('sub_owner');
  runs = createRunsService({ db, clock, outbox: createOutbox(db, clock), cursors: createCursors(() => 'test') });
});
afterAll(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const people = ['sub_ada', 'sub_grace', 'operator', 'system'] as const;
const commits = ['aaaa1111', 'aaaa2222', 'bbbb3333'] as const;
const capsuleIds = ['cap_one', 'cap_two', 'cap_three'] as const;

/** A Run as the oracle remembers it. */
type Known = {
  id: string;
  type: RunType;
  status: RunStatus;
  createdBy: string;
  commit: string;
  capsuleId: string | undefined;
  groupId: string | undefined;
  planId: string | undefined;
};
type Filter = Partial<{
  createdBy: string;
  commit: string;
  capsuleId: string;
  type: RunType;
  status: RunStatus[];
  trigger: RunTrigger;
}>;

const triggerOf = ({ createdBy, type }: Known): RunTrigger => {
  if (createdBy === 'operator') return 'operator';
  if (createdBy === 'system') return type === 'drift_check' ? 'schedule' : 'auto_update';
  return 'person';
};
const matches = (run: Known, { createdBy, commit, capsuleId, type, status, trigger }: Filter): boolean =>
  (createdBy === undefined || run.createdBy === createdBy) &&
  (commit === undefined || run.commit.startsWith(commit.toLowerCase())) &&
  (capsuleId === undefined || run.capsuleId === capsuleId) &&
  (type === undefined || run.type === type) &&
  (status === undefined || status.includes(run.status)) &&
  (trigger === undefined || triggerOf(run) === trigger);

/** A random history in its own Workspace, and what it should be listed as. */
function createHistory(workspaceId: string) {
  const known: Known[] = [];
  const create = (run: Omit<Known, 'id' | 'status'>) => {
    const id = newId(isApplyType(run.type) ? 'apply' : run.type === 'source_sync' ? 'sync' : 'plan');
    const { type, createdBy, commit, capsuleId = 'cap_one', groupId, planId = '' } = run;
    const common = { id, workspaceId, createdBy, facts: { resolvedCommit: commit } };
    const group = groupId === undefined ? {} : { runGroupId: groupId, groupLayer: 0 };
    const named = { ...common, ...group, capsuleId, input: capsuleRunInput() };
    if (type === 'source_sync') runs.create({ ...common, type, sourceId: 'src_one', input: syncInput }, []);
    else if (type === 'apply' || type === 'destroy_apply') runs.create({ ...named, type, planRunId: planId }, []);
    else if (type === 'plan' || type === 'drift_check') runs.create({ ...named, type }, []);
    known.push({ ...run, id, status: 'queued' });
    return id;
  };
  const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
  const steps: Record<string, (n: number) => void> = {
    plan: (n) => void create(planOf(n, undefined)),
    sync: (n) => void create({ ...planOf(n, undefined), type: 'source_sync', capsuleId: undefined }),
    group(n) {
      const groupId = newId('runGroup');
      for (let member = 0; member <= n % 4; member += 1) create(planOf(n + member, groupId));
    },
    apply(n) {
      const open = known.filter(({ id, type }) => type === 'plan' && !known.some(({ planId }) => planId === id));
      if (open.length === 0) return;
      const plan = pick(open, n);
      const id = create({ ...plan, type: 'apply', createdBy: pick(people, n + 1), planId: plan.id });
      runs.store.consumePlan(plan.id, id);
    },
    end(n) {
      const open = known.filter(({ status, type }) => status === 'queued' && type !== 'source_sync');
      if (open.length === 0) return;
      const run = pick(open, n);
      runs.move(run.id, 'claim');
      runs.move(run.id, n % 3 === 0 ? 'fail' : 'finish');
      run.status = n % 3 === 0 ? 'failed' : 'succeeded';
    },
  };
  const planOf = (n: number, groupId: string | undefined) => ({
    type: n % 5 === 0 ? ('drift_check' as const) : ('plan' as const),
    createdBy: pick(people, n),
    commit: pick(commits, n >> 2),
    capsuleId: pick(capsuleIds, n >> 1),
    groupId,
    planId: undefined,
  });

  /** Ids of rows with a matching Run, newest first: the group, or the plan or other Run. */
  function expected(filter: Filter): string[] {
    const rows = known.map((run) => {
      const first = known.find(({ id }) => id === run.planId) ?? run;
      return { run, row: filter.capsuleId === undefined ? (first.groupId ?? first.id) : first.id };
    });
    const order = [...new Set(rows.map(({ row }) => row))];
    const listed = new Set(rows.filter(({ run }) => matches(run, filter)).map(({ row }) => row));
    return order.filter((row) => listed.has(row)).reverse();
  }
  return { known, expected, take: ([name, n]: Step) => steps[name]?.(n) };
}

type Step = readonly [name: string, n: number];
const Step = fc.tuple(fc.constantFrom('plan', 'plan', 'apply', 'apply', 'end', 'end', 'group', 'sync'), fc.nat(1_000));
const rowOf = (change: RunListChange): string => (change.kind === 'group' ? change.runGroupId : change.runId);

const AnyFilter: fc.Arbitrary<Filter> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      createdBy: fc.constantFrom(...people),
      commit: fc.constantFrom('aaaa', 'AAAA1', 'bbbb3333', 'cccc'),
      capsuleId: fc.constantFrom(...capsuleIds),
      type: fc.constantFrom<RunType>('plan', 'apply', 'drift_check', 'source_sync'),
      status: fc.constantFrom<RunStatus[]>(['failed'], ['queued', 'succeeded']),
      trigger: fc.constantFrom<RunTrigger>('person', 'operator', 'auto_update', 'schedule', 'token'),
    },
    { requiredKeys: [] },
  ),
);

let count = 0;
function newWorkspace(): string {
  count += 1;
  const id = `ws_history_${count}`;
  db.sqlite
    .prepare(
      `INSERT INTO workspaces (id, handle, display_name, type, owner_user_id, created_at, updated_at)
       VALUES (?, ?, 'History', 'organization', 'sub_owner', 1, 1)`,
    )
    .run(id, `history-${count}`);
  return id;
}

type Reading = { workspaceId: string; filter: Filter; limit: number; between: readonly (readonly Step[])[] };

/** Reads all pages, and takes steps of the history after each. */
function readAll(history: ReturnType<typeof createHistory>, { workspaceId, filter, limit, between }: Reading) {
  const atStart = history.expected(filter);
  const everKnown = new Set(atStart);
  const listed: string[] = [];
  let cursor: string | undefined;
  let pageCount = 0;
  do {
    const page = runs.listRuns(workspaceId, { ...filter, view: 'changes', limit, cursor });
    listed.push(...(page.changes ?? []).map(rowOf));
    cursor = page.nextCursor;
    for (const step of between[pageCount] ?? []) history.take(step);
    for (const row of history.expected(filter)) everKnown.add(row);
    pageCount += 1;
  } while (cursor !== undefined);
  return { atStart, everKnown, listed };
}

describe('the list of changes', () => {
  it('has every change once, in pages of any size, while Runs start and end', () => {
    fc.assert(
      fc.property(
        fc.array(Step, { maxLength: 40 }),
        fc.array(fc.array(Step, { maxLength: 4 }), { maxLength: 12 }),
        AnyFilter,
        fc.integer({ min: 1, max: 7 }),
        (before, between, filter, limit) => {
          const workspaceId = newWorkspace();
          const history = createHistory(workspaceId);
          for (const step of before) history.take(step);
          const { atStart, everKnown, listed } = readAll(history, { workspaceId, filter, limit, between });
          expect(new Set(listed).size).toBe(listed.length);
          // A status may change away from the filter before its page is read; the other filters only gain rows.
          if (filter.status === undefined) expect(listed).toEqual(expect.arrayContaining(atStart));
          expect(listed.filter((row) => !everKnown.has(row))).toEqual([]);
          const whole = runs.listRuns(workspaceId, { ...filter, view: 'changes', limit: 500 });
          expect((whole.changes ?? []).map(rowOf)).toEqual(history.expected(filter));
        },
      ),
      { numRuns: timesOf({ quick: 60, deep: 1_000 }) },
    );
  });

  it('has the counts of a group, and what its applies did', () => {
    const workspaceId = newWorkspace();
    const runGroupId = newId('runGroup');
    const summary = { add: 2, change: 1, destroy: 0 };
    const common = { workspaceId, createdBy: 'sub_ada', runGroupId, groupLayer: 0, input: capsuleRunInput() };
    const set = { planDigest: 'sha256:a', planExpiresAt: clock.now() + 1_000 };
    const plans = ['cap_group_1', 'cap_group_2', 'cap_group_3'].map((capsuleId) => {
      const id = newId('plan');
      runs.create({ ...common, id, type: 'plan', capsuleId, facts: { summary, hasChanges: true } }, []);
      runs.move(id, 'claim');
      return { id, capsuleId };
    });
    const [applied, waiting, failed] = plans.map(({ id }) => id);
    for (const id of [applied, waiting]) runs.move(id ?? '', 'finish', { set });
    runs.move(failed ?? '', 'fail');
    const applyOf = (planRunId: string, capsuleId: string) => {
      const id = newId('apply');
      runs.create({ ...common, id, type: 'apply', capsuleId, planRunId, facts: { summary } }, []);
      runs.store.consumePlan(planRunId, id);
      runs.move(id, 'claim');
      return id;
    };
    runs.move(applyOf(applied ?? '', 'cap_group_1'), 'finish');
    const [change] = runs.listRuns(workspaceId, { view: 'changes' }).changes ?? [];
    expect(change).toMatchObject({
      kind: 'group',
      runGroupId,
      type: 'plan',
      status: 'waiting_approval',
      trigger: 'person',
      members: { total: 3, waiting: 1, failed: 1, succeeded: 2, applied: 1 },
      applied: summary,
    });
    const reached = { add: 1, change: 0, destroy: 0 };
    runs.move(applyOf(waiting ?? '', 'cap_group_2'), 'fail', { set: { applied: reached } });
    const [next] = runs.listRuns(workspaceId, { view: 'changes' }).changes ?? [];
    expect(next).toMatchObject({
      status: 'failed',
      members: { failed: 2 },
      applied: { add: 3, change: 1, destroy: 0 },
    });
    const ofCapsule = runs.listRuns(workspaceId, { view: 'changes', capsuleId: 'cap_group_2' });
    expect(ofCapsule.changes).toEqual([
      { kind: 'run', runId: waiting, applyRunId: expect.any(String), applied: reached, trigger: 'person' },
    ]);
    expect(ofCapsule.runs.map(({ type }) => type)).toEqual(['plan', 'apply']);
    expect(ofCapsule.runs[1]).not.toHaveProperty('applied');
  });
});
