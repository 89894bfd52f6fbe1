import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import type { Run } from '#shared/runs/contract';
import type { ScheduleFixture } from './schedule-fixture.ts';
import { scheduleTool } from './schedule-fixture.ts';
import { applyOutcome, planOutcome, type ScriptedRun } from './scripted-runner.ts';

/** Returns an action of the executor `runner`. */
export const actionOf = (id: string, more: Partial<LifecycleAction> = {}): LifecycleAction => ({
  apiVersion: 'svc.dev/v1alpha1',
  kind: 'command',
  id,
  phase: 'post_apply',
  executor: 'runner',
  command: ['./act.sh'],
  ...more,
});

const identity = { pid: 2, startTime: '', bootId: '' };
export const outputs = { url: { value: 'https://example.org', type: 'string' } };

/** Plays Runs with actions: their plans and applies as supervisors end them, and their actions as a test directs. */
export function playActions(fixture: ScheduleFixture) {
  const { runner } = fixture;
  const input = () => ({ actorId: fixture.owner, tool: scheduleTool });
  const read = (id: string): Run => fixture.domains.runs.getRun(id);
  const scriptOf = (id: string): ScriptedRun => {
    const script = runner.startedRuns.get(id);
    if (!script) throw new Error(`${id} was not handed over`);
    return script;
  };

  async function planned(capsuleId: string): Promise<Run> {
    const { id } = fixture.domains.plans.createPlan(capsuleId, input());
    await fixture.settle();
    runner.end(id, planOutcome(scriptOf(id).spec));
    await fixture.settle();
    return read(id);
  }

  async function apply(planId: string): Promise<string> {
    const { run } = fixture.domains.applies.apply(planId, input());
    await fixture.settle();
    return run.id;
  }

  /** The tool of an apply ends; its actions come next. */
  async function endTool(id: string, succeeded = true): Promise<void> {
    runner.say(id, { t: 'spawned', at: 0, command: 'apply', identity });
    runner.end(id, applyOutcome(scriptOf(id).spec, succeeded, outputs));
    await fixture.settle();
  }

  return {
    input,
    read,
    scriptOf,
    planned,
    apply,
    endTool,
    /** Applies up to the actions after it. */
    async applied(capsuleId: string): Promise<string> {
      const id = await apply((await planned(capsuleId)).id);
      await endTool(id);
      return id;
    },
    /** A destroy that is approved and applied, up to its actions or its tool. */
    async destroying(capsuleId: string): Promise<string> {
      const { id } = fixture.domains.plans.createPlan(capsuleId, { ...input(), type: 'destroy_plan' });
      await fixture.settle();
      runner.end(id, planOutcome(scriptOf(id).spec));
      await fixture.settle();
      fixture.domains.plans.approve(id, { actorId: fixture.owner });
      return apply(id);
    },
    isStarted: (id: string, position: number): boolean => runner.startedRuns.has(`${id}.${position}`),
    /** The supervisor of an action starts its command. */
    spawn: (id: string, position: number): void =>
      runner.say(`${id}.${position}`, { t: 'spawned', at: 0, command: 'action', identity }),
    /** The command of an action ends with this exit code. */
    async end(id: string, position: number, exitCode = 0): Promise<void> {
      runner.say(`${id}.${position}`, { t: 'spawned', at: 0, command: 'action', identity });
      const failed = { succeeded: false, message: `The action ended with exit code ${exitCode}.` };
      runner.end(`${id}.${position}`, { kind: 'action', exitCode, ...(exitCode === 0 ? { succeeded: true } : failed) });
      await fixture.settle();
    },
    capsule: (id: string) => fixture.domains.capsules.getCapsule(id),
    /** Types of the events of a Run that concern actions or its end. */
    eventsOf: (id: string): string[] =>
      fixture.domains.runs.feed
        .listKind(id, 'audit', { after: 0, limit: 1_000 })
        .map(({ payload }) => String(payload['type'])),
    rowsOf: (id: string) =>
      fixture.db.sqlite.prepare('SELECT * FROM lifecycle_actions WHERE run_id = ? ORDER BY position').all(id) as {
        result: string | null;
        invoked: number;
        is_end_known: number;
        evidence: string;
      }[],
  };
}
