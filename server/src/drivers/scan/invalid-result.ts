import { scanLimits } from '#shared/limits';
import type { InstallModulesReason, ScanProblem } from '#shared/sources/module-scan';
import type { ScanRequest, ScanResult } from './types.ts';

type Refusal = {
  request: Pick<ScanRequest, 'sourceSnapshotId' | 'scopePath'>;
  reason: InstallModulesReason;
  problems?: readonly ScanProblem[];
  cleanScopes?: string[];
};

/** A discovery without modules. */
export function invalidResult({ request, reason, problems = [], cleanScopes = [] }: Refusal): ScanResult {
  const distinct = new Map(problems.map(({ path, code, message }) => [`${path}\n${message}`, { path, code, message }]));
  const findings = [...distinct.values()].slice(0, scanLimits.findings);
  const { sourceSnapshotId, scopePath } = request;
  return {
    discovery: { status: 'invalid', sourceSnapshotId, scopePath, reason, modules: [], findings, cleanScopes },
    reports: [],
  };
}
