import type { Run } from '#shared/runs/contract';
import { type ScheduleGround, scheduleTool } from './schedule-ground.ts';
import { applyOutcome, planOutcome } from './scripted-runner.ts';

/** Outputs as a state holds them. */
export type PlayedOutputs = Record<string, { value: unknown; type?: unknown; sensitive?: true }>;

/** Plays Runs of a schedule ground to their ends, as their supervisors would. */
export function playRuns(ground: ScheduleGround) {
  const ask = () => ({ actorId: ground.owner, tool: scheduleTool });
  const read = (id: string): Run => ground.rooms.runs.getRun(id);
  const jobOf = (id: string) => {
    const given = ground.runner.given.get(id);
    if (!given) throw new Error('the Run was not handed over');
    return given.job;
  };

  async function endPlan(id: string, found: Parameters<typeof planOutcome>[1] = {}): Promise<Run> {
    await ground.settle();
    ground.runner.end(id, planOutcome(jobOf(id), found));
    await ground.settle();
    return read(id);
  }

  async function applyPlan(id: string, outputs: PlayedOutputs = {}, succeeded = true): Promise<Run> {
    const { run: apply } = ground.rooms.deploys.apply(id, ask());
    await ground.settle();
    const identity = { pid: 2, startTime: '', bootId: '' };
    ground.runner.say(apply.id, { t: 'spawned', at: 0, command: 'apply', identity });
    ground.runner.end(apply.id, applyOutcome(jobOf(apply.id), succeeded, outputs));
    await ground.settle();
    return read(apply.id);
  }

  return {
    ask,
    read,
    jobOf,
    endPlan,
    applyPlan,
    isHandedOver: (id: string): boolean => ground.runner.given.has(id),
    /** Plans and applies a Capsule. */
    async applied(capsuleId: string, outputs: PlayedOutputs = {}): Promise<Run> {
      const plan = await endPlan(ground.rooms.deploys.createPlan(capsuleId, ask()).id);
      return applyPlan(plan.id, outputs);
    },
  };
}
