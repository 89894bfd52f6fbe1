import path from 'node:path';
import {
  createStreamedPlan,
  type Diagnostic,
  planArgs,
  type StreamEvent,
  type StreamedPlan,
} from '#server/drivers/tofu/index';
import { redactDiagnostic } from './reporting/reporter.ts';
import type { CommandRequest, SupervisedRun } from './run.ts';
import type { SubstituteProviders } from './schema/substitute-providers.ts';
import { plainCliConfig } from './workspace/provider-sources.ts';
import { planVariables } from './workspace/variables.ts';

/** Maximum number of reported diagnostics; the log holds all of them. */
const maxDiagnostics = 200;

export type Planning = {
  request: CommandRequest;
  /** Diagnostics that the plan reports while it runs. */
  diagnostics: Diagnostic[];
  streamed: StreamedPlan;
  /** Keeps diagnostics out of the journal until `report`. */
  defer(): void;
  report(): void;
};

/** Prepares the plan command, with the providers of the substitutes beside it. Without them the tool starts its providers itself. */
export function preparePlan(run: SupervisedRun, substitutes?: SubstituteProviders): Planning {
  const { spec, layout } = run;
  const streamed = createStreamedPlan();
  const diagnostics: Diagnostic[] = [];
  let deferred: Diagnostic[] | undefined;
  const sink = run.report.listen({
    phase: 'plan',
    onEvent(event) {
      checkTool(run, event);
      streamed.take(event);
      if (event.kind !== 'diagnostic') return true;
      const { kind: _, ...diagnostic } = event;
      if (diagnostics.length < maxDiagnostics) diagnostics.push(redactDiagnostic(diagnostic, run.redactor));
      deferred?.push(diagnostic);
      return deferred === undefined;
    },
  });
  const request: CommandRequest = {
    name: 'plan',
    phase: 'plan',
    argv: planArgs({
      out: path.posix.join(layout.seen.state, 'plan'),
      varFile: layout.seen.variablesFile,
      destroy: spec.operation === 'destroy_plan',
      refreshOnly: spec.operation === 'drift_check',
    }),
    sink,
    network: true,
    writable: { state: true, data: false },
    variables: planVariables(run),
    hasPlan: false,
    outlives: false,
    cliConfig: plainCliConfig(run),
    ...(substitutes?.beside && { beside: substitutes.beside }),
    ...(substitutes?.beside && substitutes.reattach && { reattach: substitutes.reattach }),
  };
  return {
    request,
    diagnostics,
    streamed,
    defer() {
      deferred = [];
    },
    report() {
      for (const diagnostic of deferred ?? []) run.report.diagnostic(diagnostic);
      deferred = undefined;
    },
  };
}

/** Checks the tool named in the stream: another one than the ledger chose could read the state differently. */
function checkTool(run: SupervisedRun, event: StreamEvent): void {
  if (event.kind !== 'version') return;
  const { name, version } = run.spec.tool;
  if (event.tool === name && event.version === version) return;
  run.mismatch = `The tool is ${event.tool} ${event.version}, but ${name} ${version} was chosen. Plan again.`;
}
