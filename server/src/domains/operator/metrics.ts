import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FenceService } from '#server/domains/fence/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { DurablePoints } from '#server/kernel/durable-points';
import type { SeenRequest } from '#server/kernel/http/index';
import { measurePools } from './pool-metrics.ts';

export type Metrics = {
  contentType: string;
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>;
  observeRequest(seen: SeenRequest): void;
  close(): void;
};

type Deps = Parameters<typeof measurePools>[1] & {
  db: Db;
  clock: Clock;
  runs: Pick<RunsService, 'onMoved' | 'countLive' | 'findOldestQueued'>;
  points: Pick<DurablePoints, 'behindSince' | 'isOn'>;
  fence: Pick<FenceService, 'status' | 'mayWrite'>;
  dataDir: string;
  version: string;
};

const short = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const long = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];

/**
 * Metrics of a server. Events are counted as they happen, since the start of the server. Current values are read from
 * indexes at a scrape, so a scrape of a ledger with a hundred thousand Runs costs the same as one of an empty ledger.
 */
export function createMetrics(deps: Deps): Metrics {
  const registry = new Registry();
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const observeRequest = measureRequests(registry);
  measureRuns(registry, deps);
  measurePools(registry, deps);
  measureLedger(registry, deps);
  if (deps.points.isOn) measureReplica(registry, deps);
  if (deps.fence.status() !== 'off') measureFence(registry, deps);
  measureProcess(registry, { loop, version: deps.version });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observeRequest,
    close: () => void loop.disable(),
  };
}

function measureRequests(registry: Registry): Metrics['observeRequest'] {
  const labelNames = ['method', 'route', 'status'] as const;
  const seconds = new Histogram({
    name: 'groundctl_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer; streams count until they end.',
    labelNames,
    buckets: short,
    registers: [registry],
  });
  return ({ seconds: took, ...labels }) => seconds.observe(labels, took);
}

function measureRuns(registry: Registry, { runs, clock }: Pick<Deps, 'runs' | 'clock'>): void {
  const registers = [registry];
  const ended = new Counter({
    name: 'groundctl_runs_ended_total',
    help: 'Runs that have ended since the start of the server.',
    labelNames: ['type', 'status'] as const,
    registers,
  });
  const took = new Histogram({
    name: 'groundctl_run_duration_seconds',
    help: 'Time from the start of a Run to its end.',
    labelNames: ['type', 'status'] as const,
    buckets: long,
    registers,
  });
  const waited = new Histogram({
    name: 'groundctl_run_queue_seconds',
    help: 'Time that a Run waited before it was started.',
    labelNames: ['type'] as const,
    buckets: [0.1, ...long],
    registers,
  });
  runs.onMoved((run, from) => {
    const { type, status } = run;
    if (from === 'queued' && status === 'running') waited.observe({ type }, secondsBetween(run.createdAt, clock.now()));
    if (!hasJustEnded(run, from)) return;
    ended.inc({ type, status });
    if (run.startedAt !== null && run.finishedAt !== null)
      took.observe({ type, status }, secondsBetween(run.startedAt, run.finishedAt));
  });
  new Gauge({
    name: 'groundctl_runs',
    help: 'Runs that are queued, running or waiting for approval.',
    labelNames: ['type', 'status'] as const,
    registers,
    collect() {
      this.reset();
      for (const { type, status, n } of runs.countLive()) this.set({ type, status }, n);
    },
  });
  new Gauge({
    name: 'groundctl_queue_depth',
    help: 'Runs that wait to be started.',
    registers,
    collect() {
      const queued = runs.countLive().filter(({ status }) => status === 'queued');
      this.set(queued.reduce((sum, { n }) => sum + n, 0));
    },
  });
  new Gauge({
    name: 'groundctl_queue_oldest_seconds',
    help: 'Age of the Run that waits longest; 0 when none waits.',
    registers,
    collect() {
      const since = runs.findOldestQueued();
      this.set(since === undefined ? 0 : secondsBetween(since, clock.now()));
    },
  });
}

const secondsBetween = (from: number, to: number): number => Math.max(0, to - from) / 1_000;
const open = new Set(['queued', 'running', 'waiting_approval']);
const hasJustEnded = ({ status }: RunRecord, from: string | undefined): boolean =>
  !open.has(status) && (from === undefined || open.has(from));

function measureReplica(registry: Registry, { points, clock }: Pick<Deps, 'points' | 'clock'>): void {
  new Gauge({
    name: 'groundctl_replica_behind_seconds',
    help: 'Time since the replica of the ledger has confirmed everything last; 0 while it does.',
    registers: [registry],
    collect() {
      const since = points.behindSince();
      this.set(since === undefined ? 0 : secondsBetween(since, clock.now()));
    },
  });
}

function measureFence(registry: Registry, { fence }: Pick<Deps, 'fence'>): void {
  new Gauge({
    name: 'groundctl_fence_held',
    help: 'One while the fence confirms that this server may write, otherwise zero.',
    registers: [registry],
    collect() {
      this.set(fence.status() === 'held' && fence.mayWrite() ? 1 : 0);
    },
  });
}

function measureLedger(registry: Registry, { db, dataDir }: Pick<Deps, 'db' | 'dataDir'>): void {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'groundctl_ledger_transaction_seconds',
    help: 'Time of one writing transaction, with its commit to the disk.',
    buckets: short,
    registers,
  });
  db.onTransaction((took) => seconds.observe(took));
  const sizeOf = (name: string, help: string, file: string) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(statSync(path.join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0);
      },
    });
  sizeOf('groundctl_ledger_bytes', 'Size of the ledger.', 'ledger.db');
  sizeOf('groundctl_ledger_wal_bytes', 'Size of the log in front of the ledger.', 'ledger.db-wal');
}

function measureProcess(
  registry: Registry,
  { loop, version }: { loop: ReturnType<typeof monitorEventLoopDelay>; version: string },
): void {
  const registers = [registry];
  new Gauge({
    name: 'groundctl_build_info',
    help: 'Always 1; its labels say which version runs.',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version, node: process.version }, 1);
  new Gauge({
    name: 'groundctl_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labelNames: ['quantile'] as const,
    registers,
    collect() {
      for (const quantile of [50, 99, 100])
        this.set({ quantile: String(quantile / 100) }, loop.percentile(quantile) / 1e9);
      loop.reset();
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const startedAt = Math.round(performance.timeOrigin) / 1_000;
  gauge('process_start_time_seconds', 'When the process was started, since 1970.', () => startedAt);
  gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss());
  gauge('process_heap_bytes', 'Used heap of the process.', () => process.memoryUsage().heapUsed);
  gauge('process_open_fds', 'Open files of the process.', countOpenFiles);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
