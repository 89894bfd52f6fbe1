import { type BindingResolution, type Grants, needsMinting } from '#server/domains/provider-bindings/index';
import { auditItem, type CapsuleRun, type RunsService, runKindOf } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { type PinPorts, pinKey } from './sealing.ts';
import type { Refusal, RunTool, StartCheck } from './start-checks.ts';

export type StartPorts = Pick<PinPorts, 'vault'> & {
  clock: Clock;
  runs: RunsService;
  grants: Pick<Grants, 'issue'>;
  /** Completes the input of a plan that waited for other Runs. */
  completeInput: (run: CapsuleRun) => Refusal | undefined;
  /** Checked in this order; the first refusal ends the Run. */
  startChecks: readonly StartCheck[];
  /** Resolves the Connections of the Run again. */
  resolveConnections: (run: CapsuleRun, tool: RunTool) => { refusal: Refusal } | { resolution?: BindingResolution };
};

/** A started Run; `pending` when a Connection has credentials for this Run only, which it must get first. */
type Start = { refusal?: Refusal; pending?: BindingResolution };

/**
 * Records the start of a Run with the credentials that it gets. Returns the reason when it must not start. The caller
 * holds the transaction.
 */
export function startRun(claimed: CapsuleRun, tool: RunTool, ports: StartPorts): Start {
  const { clock, runs } = ports;
  const incomplete = ports.completeInput(claimed);
  if (incomplete) return { refusal: incomplete };
  const run = runs.getCapsuleRun(claimed.id);
  for (const check of ports.startChecks) {
    const refusal = check(run, tool);
    if (refusal) return { refusal };
  }
  const connections = ports.resolveConnections(run, tool);
  if ('refusal' in connections) return connections;
  const { resolution } = connections;
  const isPending = resolution !== undefined && needsMinting(resolution);
  if (!isPending) ports.grants.issue(run, resolution);
  runs.update(run.id, { journalOffset: 0 }, { toolName: tool.name, toolVersion: tool.version });
  pinKey(run, ports);
  runs.append(run.id, run.attempts > 1 ? [] : [auditItem(`${runKindOf(run)}.started`, clock.now())]);
  return isPending ? { pending: resolution } : {};
}
