/* Without schemas, which the scan would load at every start of its worker. */

export const findingSeverities = ['info', 'warning', 'error'] as const;
export const compatibilityImpacts = ['none', 'needs_patch', 'unsupported'] as const;
type FindingSeverity = (typeof findingSeverities)[number];
type CompatibilityImpact = (typeof compatibilityImpacts)[number];

type FindingRule = { readonly impact: CompatibilityImpact; readonly severity: FindingSeverity };

const blocking = { impact: 'unsupported', severity: 'error' } as const;
const notice = { impact: 'none', severity: 'info' } as const;
const warning = { impact: 'none', severity: 'warning' } as const;

/** Every finding code with its effect on the level of a report. A policy may raise the two lock file codes. */
export const findingRules = {
  remote_module_source: blocking,
  configuration_invalid: blocking,
  module_source_not_static: blocking,
  tool_version_unsatisfied: blocking,
  provider_not_allowed: blocking,
  resource_type_not_allowed: blocking,
  data_source_type_not_allowed: blocking,
  provisioner_not_allowed: blocking,
  provider_not_declared: { impact: 'needs_patch', severity: 'error' },
  provisioner_present: warning,
  external_program_present: warning,
  lockfile_missing: warning,
  lockfile_digest_missing: warning,
  backend_overridden: notice,
  cloud_block_present: notice,
  encryption_overridden: notice,
  tfvars_ignored: notice,
} as const satisfies Readonly<Record<string, FindingRule>>;

export type FindingCode = keyof typeof findingRules;

const outsidePath = 'lies outside the Source path. Choose a Source path that holds both.';
/** Names a module call that leads out of the Source path. */
export const outsideMessage = (module: string): string => `${module} ${outsidePath}`;
/** Finds out if a Source path further up would resolve the problem. */
export const isOutside = ({ message }: { message: string }): boolean => message.endsWith(outsidePath);
