import { findVariableProblem } from '#server/domains/install-configs/index';
import type { InstallParts } from '#shared/install-configs/parts';
import type { CompatibilityReport } from '#shared/sources/report';
import { diagnoseUnready } from './check-step.ts';
import { injectedVariables } from './checks.ts';
import { diagnose } from './plan-steps.ts';
import { failed } from './reconcile.ts';
import type { InstallState } from './state.ts';

/** Diagnostic of a module that is not ready; the message is used when no finding explains it. */
export const unready = {
  code: 'compatibility_not_ready',
  message: 'The module is not ready to be planned. Read its compatibility report.',
} as const;

type ReportInput = {
  state: InstallState;
  /** Names that bound Connections give a default. */
  defaults: readonly string[];
  parts: InstallParts;
};

/** Returns the reason why an installation from this report fails, or undefined. */
export function findReportProblem(report: CompatibilityReport, { state, defaults, parts }: ReportInput) {
  const unreadyModule = diagnoseUnready(report, unready);
  if (unreadyModule) return unreadyModule;
  const declarations = report.rootModuleVariableDeclarations;
  if (declarations === undefined)
    return diagnose(
      'generic_opentofu_variable_declarations_missing',
      'The compatibility report does not list the variables of the module. Sync the Source, then install it again.',
    );
  const values = { values: state.variables, secret: state.row.secretVariables };
  const injected = injectedVariables(state.row.request);
  const problem = findVariableProblem({ ...values, declarations, defaults, injected, parts });
  return problem && failed(problem);
}
