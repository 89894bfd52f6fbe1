import type { Run } from '#shared/runs/contract';
import { type ScheduleFixture, scheduleTool } from './schedule-fixture.ts';
import { applyOutcome, planOutcome } from './scripted-runner.ts';

/** Outputs in the form of a state. */
type SimulatedOutputs = Record<string, { value: unknown; type?: unknown; sensitive?: true }>;

/** Runs the Runs of a schedule fixture to their ends, as their supervisors would. */
export function playRuns(fixture: ScheduleFixture) {
  const createInput = () => ({ actorId: fixture.owner, tool: scheduleTool });
  const read = (id: string): Run => fixture.domains.runs.getRun(id);
  const specOf = (id: string) => {
    const scriptedRun = fixture.runner.startedRuns.get(id);
    if (!scriptedRun) throw new Error('the Run was not handed over');
    return scriptedRun.spec;
  };

  async function endPlan(id: string, planContents: Parameters<typeof planOutcome>[1] = {}): Promise<Run> {
    await fixture.settle();
    fixture.runner.end(id, planOutcome(specOf(id), planContents));
    await fixture.settle();
    return read(id);
  }

  async function applyPlan(id: string, outputs: SimulatedOutputs = {}, succeeded = true): Promise<Run> {
    const { run: apply } = fixture.domains.applies.apply(id, createInput());
    await fixture.settle();
    const identity = { pid: 2, startTime: '', bootId: '' };
    fixture.runner.say(apply.id, { t: 'spawned', at: 0, command: 'apply', identity });
    fixture.runner.end(apply.id, applyOutcome(specOf(apply.id), succeeded, outputs));
    await fixture.settle();
    return read(apply.id);
  }

  return {
    createInput,
    read,
    specOf,
    endPlan,
    applyPlan,
    isHandedOver: (id: string): boolean => fixture.runner.startedRuns.has(id),
    /** Plans and applies a Capsule. */
    async applied(capsuleId: string, outputs: SimulatedOutputs = {}): Promise<Run> {
      const plan = await endPlan(fixture.domains.plans.createPlan(capsuleId, createInput()).id);
      return applyPlan(plan.id, outputs);
    },
  };
}
