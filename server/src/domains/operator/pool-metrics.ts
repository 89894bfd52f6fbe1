import { Gauge, type Registry } from 'prom-client';
import type { RunnerPoolsService } from '#server/domains/runner-pools/index';
import type { RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { localPool } from '#shared/runs/contract';

type Deps = {
  clock: Clock;
  runs: { store: Pick<RunsService['store'], 'listPoolQueues'> };
  runnerPools: Pick<RunnerPoolsService, 'listPoolIds' | 'listMembers'>;
};

/** Measures the queues of the pools of runner machines and the last signs of life of the machines, at each scrape. */
export function measurePools(registry: Registry, { clock, runs, runnerPools }: Deps): void {
  const registers = [registry];
  const labelNames = ['pool'] as const;
  const pools = (): string[] => [localPool, ...runnerPools.listPoolIds()];
  new Gauge({
    name: 'groundctl_pool_queued',
    help: 'Runs that wait in a pool.',
    labelNames,
    registers,
    collect() {
      this.reset();
      const queues = runs.store.listPoolQueues();
      for (const pool of pools()) this.set({ pool }, queues.get(pool)?.waiting ?? 0);
    },
  });
  new Gauge({
    name: 'groundctl_pool_oldest_seconds',
    help: 'Age of the Run that waits longest in a pool; 0 when none waits.',
    labelNames,
    registers,
    collect() {
      this.reset();
      const queues = runs.store.listPoolQueues();
      for (const pool of pools()) this.set({ pool }, ageOf(queues.get(pool)?.oldestWaitingAt, clock));
    },
  });
  new Gauge({
    name: 'groundctl_runner_last_seen_seconds',
    help: 'Time since the last report of a runner machine.',
    labelNames: ['pool', 'machine'] as const,
    registers,
    collect() {
      this.reset();
      for (const { id, poolId, state, lastSeenAt } of runnerPools.listMembers())
        if (state !== 'revoked') this.set({ pool: poolId, machine: id }, ageOf(lastSeenAt ?? undefined, clock));
    },
  });
}

const ageOf = (since: number | undefined, clock: Clock): number =>
  since === undefined ? 0 : Math.max(0, clock.now() - since) / 1_000;
