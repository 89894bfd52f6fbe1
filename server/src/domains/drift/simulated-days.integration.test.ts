import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import type { Db } from '../../kernel/db.ts';
import { longestTimerMs } from '../../kernel/deadline.ts';
import { AppError } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import type { RunRecord } from '../runs/index.ts';
import { createDueChecks } from './due-checks.ts';
import { createScheduleMoves } from './schedule-moves.ts';
import { createDriftStore } from './store.ts';

/* The real schedules on a real ledger through thousands of days of a server that sleeps, restarts and has its clock set. */

const hour = 3_600_000;
const days = depth({ quick: 500, deep: 10_000 });
const schedules = ['off', 'inherit', 'daily', 'weekly', '6h', '36h', '720h'] as const;
const hoursOf: Record<string, number> = { daily: 24, weekly: 168, '6h': 6, '36h': 36, '720h': 720 };
const tool = { name: 'tofu', version: '1.0.0', path: '/nowhere' } as const;

/** Deterministic random numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Observations of a Capsule. Times are those of a clock that is never set. */
type Seen = {
  id: string;
  status: string;
  schedule: string;
  isHeld: boolean;
  run: { endsAt: number; isCheck: boolean } | undefined;
  checks: number;
  /** Start of the last check, or the time since when it has had its interval. */
  lastAt: number | undefined;
  /** Time during which a check could have started since then, while the clock was not set. */
  waitedMs: number;
  /** The same since a check was refused or gave way. */
  dueSinceMs: number | undefined;
};

let dir: string;
let db: Db;
beforeAll(() => {
  dir = tempDir();
  db = openTestLedger(dir);
  db.sqlite.pragma('foreign_keys = OFF');
});
afterAll(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

function simulate(seed: number) {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const chance = (probability: number) => random() < probability;
  const clock = heldClock();
  /** Monotonic time. */
  let real = 0;
  const world = openWorld(seed, clock.now());
  const capsules = new Map<string, Seen>();
  const store = createDriftStore(db);
  const recordMove = createScheduleMoves({ clock, store });
  const problems: string[] = [];
  const complain = (text: string): void => void problems.push(`day ${Math.floor(real / 24 / hour)}: ${text}`);
  let isArchived = false;
  let isRefusing = false;
  let total = 0;
  let isClockSet = false;

  const periodOf = ({ schedule, status }: Seen): number | undefined => {
    const hours = hoursOf[schedule === 'inherit' ? world.schedule() : schedule];
    return hours === undefined || status === 'destroyed' ? undefined : hours * hour;
  };
  const isCheckable = ({ status, run }: Seen): boolean =>
    ['active', 'stale', 'error'].includes(status) && !isArchived && run === undefined;

  function requireRightTime(seen: Seen): void {
    const { id } = seen;
    const period = periodOf(seen);
    if (seen.run) complain(`${id} is checked beside another Run`);
    if (!isCheckable(seen)) complain(`${id} is checked while ${seen.status}`);
    if (period === undefined) complain(`${id} is checked without a schedule`);
    if ([...capsules.values()].some(({ run }) => run?.isCheck)) complain('two checks run at once');
    if (seen.lastAt !== undefined && period !== undefined && real - seen.lastAt < period / 2)
      complain(`${id} is checked twice within ${(real - seen.lastAt) / hour} hours`);
  }

  function onCheck(id: string): { id: string } {
    const seen = capsules.get(id);
    if (isRefusing && seen) {
      seen.dueSinceMs = 0;
      throw new AppError('failed_precondition', 'refused');
    }
    if (!seen) throw new Error(`${id} does not exist`);
    requireRightTime(seen);
    Object.assign(seen, { lastAt: real, waitedMs: 0, dueSinceMs: undefined, checks: seen.checks + 1 });
    start(seen, true);
    total += 1;
    return { id };
  }
  function start(seen: Seen, isCheck: boolean): void {
    seen.run = { endsAt: real + Math.ceil((isCheck ? 60_000 : hour) * (1 + random())), isCheck };
    world.insertRun(seen.id, isCheck);
  }
  const plans = { createPlan: onCheck, createRefused: () => ({}) } as never;
  const open = () =>
    createDueChecks({ db, clock, log: createLog('silent'), store, plans, poolOfNext: () => 'local', concurrency: 1 });
  let checks = open();

  /** One wake of the timer, or an event. */
  function wake(): void {
    checks.correct();
    if (checks.hasDue()) checks.startDue(tool as never);
  }
  function endRuns(): void {
    for (const seen of capsules.values()) {
      if (seen.run === undefined || seen.run.endsAt > real) continue;
      seen.run = undefined;
      world.endRun(seen.id);
    }
  }
  /** Intervals that a change has made new: they are measured from now on. */
  const restartOf = (seen: Seen): void =>
    void Object.assign(seen, { lastAt: undefined, waitedMs: 0, dueSinceMs: undefined });

  const reconcile = (seen: Seen): void => checks.reconcile({ capsuleId: seen.id });
  const reconcileAll = (): void => checks.reconcile({ workspaceId: world.workspaceId });
  /** Events of the server or of one Capsule, each as likely as it is often in the deck. */
  const events = {
    create(): void {
      if (capsules.size >= 4) return;
      const id = world.insertCapsule();
      const created = {
        id,
        status: 'active',
        schedule: 'inherit',
        isHeld: false,
        run: undefined,
        checks: 0,
        lastAt: undefined,
      };
      capsules.set(id, { ...created, waitedMs: 0, dueSinceMs: undefined });
      checks.reconcile({ capsuleId: id });
    },
    reschedule(seen: Seen): void {
      seen.schedule = pick(schedules);
      world.setCapsule(seen.id, { drift_schedule: seen.schedule === 'inherit' ? null : seen.schedule });
      restartOf(seen);
      reconcile(seen);
    },
    changeStatus(seen: Seen): void {
      if (seen.run) return;
      seen.status = pick(['active', 'stale', 'error', 'disabled', 'pending', 'active']);
      world.setCapsule(seen.id, { status: seen.status });
      reconcile(seen);
    },
    destroy(seen: Seen): void {
      if (seen.run) return;
      world.setCapsule(seen.id, { status: 'destroyed' });
      capsules.delete(seen.id);
      reconcile(seen);
    },
    plan: (seen: Seen): void => void (seen.run === undefined && seen.status === 'active' && start(seen, false)),
    /** A held Capsule is checked like any other. */
    hold(seen: Seen): void {
      seen.isHeld = !seen.isHeld;
      const [reason, by, at] = seen.isHeld ? ['frozen', 'sub_a', clock.now()] : [null, null, null];
      world.setCapsule(seen.id, { hold_reason: reason, held_by: by, held_at: at });
      reconcile(seen);
    },
    rescheduleAll(): void {
      world.setSchedule(pick(schedules.filter((one) => one !== 'inherit')));
      for (const one of capsules.values()) if (one.schedule === 'inherit') restartOf(one);
      reconcileAll();
    },
    archive(): void {
      isArchived = !isArchived;
      world.setArchived(isArchived);
      reconcileAll();
    },
    refuse(): void {
      isRefusing = !isRefusing;
      for (const one of capsules.values()) Object.assign(one, { lastAt: undefined, waitedMs: 0 });
    },
    restart(): void {
      checks = open();
      checks.reconcile({});
    },
    setClock(): void {
      clock.advance(Math.round((random() - 0.5) * 400 * 24) * hour);
      isClockSet = true;
      for (const one of capsules.values()) restartOf(one);
    },
  };
  const deck = [
    ...Array.from({ length: 8 }, () => [events.create, events.reschedule, events.plan] as const).flat(),
    ...Array.from({ length: 3 }, () => events.hold),
    ...Array.from({ length: 5 }, () => [events.changeStatus, events.rescheduleAll, events.restart] as const).flat(),
    ...[events.destroy, events.archive, events.refuse, events.setClock],
  ];

  function act(): void {
    const seen = capsules.size === 0 ? undefined : pick([...capsules.values()]);
    if (!seen) events.create();
    // Checks that are refused, or an archived Workspace, would end all else.
    else if (isRefusing) events.refuse();
    else if (isArchived && chance(0.5)) events.archive();
    else pick(deck)(seen);
    // Each event wakes the schedule, except that nothing reports a change of the clock.
    if (!isClockSet) wake();
  }

  /** Returns when something happens next. A wake before the next due time does nothing, unless the clock was set. */
  function nextStep(left: number): number {
    const end = Math.min(...[...capsules.values()].flatMap(({ run }) => (run ? [run.endsAt - real] : [])));
    const due = store.findNextDue(clock.now());
    const wait = isClockSet
      ? Math.min((checks.findNext() ?? 0) - clock.now(), longestTimerMs)
      : due && due - clock.now();
    isClockSet = false;
    return Math.max(Math.min(left, end, wait ?? left), 1);
  }

  function age(ms: number, isAsleep: boolean): void {
    clock.advance(ms);
    real += ms;
    endRuns();
    if (isRefusing || isAsleep) return;
    for (const seen of capsules.values()) {
      if (!isCheckable(seen)) continue;
      seen.waitedMs += ms;
      if (seen.dueSinceMs !== undefined) seen.dueSinceMs += ms;
    }
  }

  function requireNoneForgotten(): void {
    for (const seen of capsules.values()) {
      const period = periodOf(seen);
      const isForgotten = seen.waitedMs > 1.5 * (period ?? 0) + 2 * hour || (seen.dueSinceMs ?? 0) > 2 * hour;
      if (period === undefined || !isForgotten) continue;
      complain(`${seen.id} (${seen.schedule}) waits for ${seen.waitedMs / hour} hours`);
      restartOf(seen);
    }
  }

  /** A person requests a plan of a Capsule that is being checked, so that the check gives way. */
  function preempt(): void {
    const seen = [...capsules.values()].find(({ run }) => run?.isCheck);
    if (!seen) return;
    world.endRun(seen.id);
    const check = { type: 'drift_check', createdBy: 'system', status: 'cancelled', input: { cancelledBy: 'system' } };
    recordMove({ ...check, capsuleId: seen.id } as RunRecord);
    restartOf(seen);
    seen.dueSinceMs = 0;
    start(seen, false);
  }

  /** Lets time pass. Timers fire at least once an hour, except while the machine sleeps. */
  function pass(ms: number, isAsleep: boolean): void {
    for (let left = Math.ceil(ms); left > 0; ) {
      const step = isAsleep ? left : nextStep(left);
      age(step, isAsleep);
      left -= step;
      wake();
      if (chance(0.02)) preempt();
      requireNoneForgotten();
    }
  }

  while (real < (days / 10) * 24 * hour && problems.length < 5) {
    if (chance(0.25)) act();
    const isAsleep = chance(0.02);
    pass(isAsleep ? random() * 20 * 24 * hour : random() * 12 * hour, isAsleep);
  }
  return { problems, total };
}

/** A Workspace of its own in the ledger, with the rows that schedules read. */
function openWorld(seed: number, now: number) {
  const { sqlite } = db;
  const workspaceId = `ws_${seed}`;
  let schedule = 'daily';
  let count = 0;
  sqlite.exec('DELETE FROM drift_schedules; DELETE FROM runs; DELETE FROM capsules;');
  sqlite
    .prepare(
      `INSERT INTO workspaces (id, handle, display_name, type, owner_user_id, drift_schedule, created_at, updated_at)
       VALUES (@id, @id, @id, 'personal', 'sub_a', 'daily', @now, @now)`,
    )
    .run({ id: workspaceId, now });
  const insertCapsule = sqlite.prepare(
    `INSERT INTO capsules (id, workspace_id, project_id, name, slug, environment, source_id, install_config_id, status,
       current_state_version_id, current_state_generation, execution_authority_epoch, created_at, updated_at)
     VALUES (@id, @workspaceId, 'prj', @id, @id, 'test', 'src', 'icfg', 'active', 'sv', 1, 1, @now, @now)`,
  );
  const insertRun = sqlite.prepare(
    `INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, capsule_id, facts, detail, input)
     VALUES (@id, @workspaceId, @type, 'running', @createdBy, @now, @capsuleId, '{}', '{}', '{}')`,
  );
  const endRun = sqlite.prepare("DELETE FROM runs WHERE capsule_id = ? AND status = 'running'");
  const update = sqlite.prepare('UPDATE workspaces SET drift_schedule = @schedule, archived_at = @at WHERE id = @id');
  let archivedAt: number | null = null;
  const save = () => void update.run({ id: workspaceId, schedule, at: archivedAt });
  return {
    workspaceId,
    schedule: () => schedule,
    insertCapsule(): string {
      count += 1;
      const id = `cap_${seed}_${count}`;
      insertCapsule.run({ id, workspaceId, now });
      return id;
    },
    setCapsule(id: string, set: Record<string, string | number | null>): void {
      const assignments = Object.keys(set).map((name) => `${name} = @${name}`);
      sqlite.prepare(`UPDATE capsules SET ${assignments.join(', ')} WHERE id = @id`).run({ ...set, id });
    },
    insertRun(capsuleId: string, isCheck: boolean): void {
      count += 1;
      const [type, createdBy] = isCheck ? ['drift_check', 'system'] : ['plan', 'sub_a'];
      insertRun.run({ id: `run_${seed}_${count}`, workspaceId, capsuleId, type, createdBy, now });
    },
    endRun: (capsuleId: string) => void endRun.run(capsuleId),
    setSchedule(to: string): void {
      schedule = to;
      save();
    },
    setArchived(isArchived: boolean): void {
      archivedAt = isArchived ? now : null;
      save();
    },
  };
}

test(`checks each Capsule once per interval through ${days} days, whatever happens to the server`, () => {
  const results = Array.from({ length: 10 }, (_, seed) => db.write(() => simulate(seed + 1)));
  expect(results.flatMap(({ problems }) => problems)).toEqual([]);
  expect(results.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThan(0.7 * days);
});
