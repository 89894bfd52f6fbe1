import { discovery, exactAvailability } from './discovery-stages.ts';
import type { Fixture } from './fixture.ts';
import { createHostClient, type HostClient, type HostOptions } from './host-client.ts';
import { idempotentDelete, importReplay, observe, refresh } from './lifecycle-stages.ts';
import { negativeFixtures } from './negative-stage.ts';
import { createProbe, StageStopped } from './probe.ts';
import { audit, parity, read } from './read-stages.ts';
import { type ConformanceReport, createReport, type StageReport } from './report.ts';
import type { Progress, Stage, StageInput } from './stage.ts';
import { digestSubstitution } from './substitution-stage.ts';
import { apply, preview, replay } from './write-stages.ts';

/** In order: a stage uses what the earlier ones have left. */
const stages: readonly Stage[] = [
  discovery,
  exactAvailability,
  negativeFixtures,
  preview,
  apply,
  replay,
  read,
  parity,
  digestSubstitution,
  observe,
  refresh,
  audit,
  importReplay,
  idempotentDelete,
];

type ConformanceInput = HostOptions & {
  fixture: Fixture;
  /** Native object to import; without one the import stage is not part of the check. */
  nativeId?: string | undefined;
  onStage?: (stage: StageReport) => void;
};

/**
 * Checks a form host through its public protocol. A stage that cannot be executed, because an earlier one failed or the
 * host does not answer, has failed.
 */
export async function runConformance(input: ConformanceInput): Promise<ConformanceReport> {
  const { endpoint, fixture, nativeId, onStage } = input;
  const client = createHostClient(input);
  const progress: Progress = { operations: [] };
  const reports: StageReport[] = [];
  const included = stages.filter((stage) => stage !== importReplay || nativeId !== undefined);
  try {
    for (const stage of included) {
      const report = await runStage(stage, client, { fixture, progress, endpoint, nativeId });
      reports.push(report);
      onStage?.(report);
    }
  } finally {
    client.close();
  }
  return createReport(endpoint, fixture, reports);
}

async function runStage(
  { name, run }: Stage,
  client: HostClient,
  input: Omit<StageInput, 'probe'>,
): Promise<StageReport> {
  const { probe, records, failures } = createProbe(client, input.fixture);
  try {
    await run({ ...input, probe });
  } catch (error) {
    if (!(error instanceof StageStopped)) throw error;
    failures.push(error.message);
  }
  // A stage that sent nothing has shown nothing.
  return { name, passed: failures.length === 0 && records.length > 0, requests: records, failures };
}
