import { systemClock } from '#server/kernel/clock';
import { openScheduleFixture } from '../server/test/schedule-fixture.ts';
import { playRuns } from '../server/test/simulated-runs.ts';

/**
 * Program of its own: plans one Capsule again and again with simulated supervisors, and prints the used bytes of the
 * heap after each tenth of the Runs. Its argument is the number of Runs.
 */
const tenth = Math.ceil(Number(process.argv[2]) / 10);
const fixture = await openScheduleFixture(systemClock);
const player = playRuns(fixture);
const { id } = fixture.makeCapsule();
const usedBytes: number[] = [];
while (usedBytes.length < 10) {
  for (let count = 0; count < tenth; count += 1) {
    await player.endPlan(fixture.domains.plans.createPlan(id, player.createInput()).id);
    // What the simulation itself stores of a Run.
    fixture.runner.clear();
  }
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  usedBytes.push(process.memoryUsage().heapUsed);
}
process.stdout.write(JSON.stringify(usedBytes));
await fixture.close();
