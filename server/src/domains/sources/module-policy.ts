import { worstFirst } from '#server/drivers/scan/index';
import { scanLimits } from '#shared/limits';
import { type FindingCode, findingRules } from '#shared/sources/finding-rules';
import type { Finding } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { allowsProvider, allowsType, type TypeList } from '#shared/workspaces/policy';

type Facts = Pick<
  CompatibilityReport,
  'level' | 'findings' | 'providerPackages' | 'resources' | 'dataSources' | 'provisioners'
>;
/** Policies that apply to a module; `isMirrored` reports whether the operator's own mirror holds a provider. */
type Judging = { policies: readonly PolicyConfig[]; isMirrored: (source: string) => boolean };

const lists = [
  { part: 'resources', list: 'allowedResourceTypes', code: 'resource_type_not_allowed', typeName: 'resource type' },
  {
    part: 'dataSources',
    list: 'allowedDataSourceTypes',
    code: 'data_source_type_not_allowed',
    typeName: 'data source type',
  },
  { part: 'provisioners', list: 'allowedProvisionerTypes', code: 'provisioner_not_allowed', typeName: 'provisioner' },
] as const satisfies readonly { part: keyof Facts; list: TypeList; code: FindingCode; typeName: string }[];

const lockCodes: readonly FindingCode[] = ['lockfile_missing', 'lockfile_digest_missing'];

const blocking = (code: FindingCode, message: string, context: Record<string, string>): Finding => ({
  severity: findingRules[code].severity,
  compatibilityImpact: findingRules[code].impact,
  code,
  message,
  context,
});

/** Returns the policy violations of a module that its files show; a plan shows the rest. */
export function findForbidden(module: Facts, { policies, isMirrored }: Judging): Finding[] {
  const types = lists.flatMap(({ part, list, code, typeName }) =>
    module[part].flatMap(({ type }) =>
      allowsType(policies, list, type)
        ? []
        : [blocking(code, `A policy does not allow the ${typeName} ${type} here.`, { type })],
    ),
  );
  const needsMirror = policies.some(({ providerInstallation }) => providerInstallation?.requireMirror === true);
  const providers = module.providerPackages.flatMap(({ source }) => {
    if (!allowsProvider(policies, source))
      return [
        blocking('provider_not_allowed', `A policy does not allow the provider ${source} here.`, { provider: source }),
      ];
    if (!needsMirror || isMirrored(source)) return [];
    const message = `A policy allows only providers of the mirror of this server, which lacks ${source}. Add it to the mirror.`;
    return [blocking('provider_not_allowed', message, { provider: source, why: 'mirror' })];
  });
  return [...providers, ...types, ...findUnlocked(module, policies)];
}

/** Returns the lock file findings that a policy turns into blocking ones. Without a policy a lock file is optional. */
function findUnlocked({ findings }: Facts, policies: readonly PolicyConfig[]): Finding[] {
  if (!policies.some(({ providerLockfile }) => providerLockfile?.requireDigest === true)) return [];
  return findings
    .filter(({ code }) => lockCodes.includes(code))
    .map((finding) => ({ ...finding, severity: 'error', compatibilityImpact: 'unsupported' }));
}

/** Returns a report under these policies: forbidden types block it, and each type states whether it is allowed. */
export function judged<T extends Facts>(module: T, judging: Judging): T {
  const forbidden = findForbidden(module, judging);
  const isRaised = ({ code }: Finding) => forbidden.some((other) => other.code === code);
  const findings = worstFirst([...forbidden, ...module.findings.filter((finding) => !isRaised(finding))]);
  const marks = lists.map(({ part, list }) => [
    part,
    module[part].map((used) => ({ ...used, allowed: allowsType(judging.policies, list, used.type) })),
  ]);
  return {
    ...module,
    ...(Object.fromEntries(marks) as Pick<Facts, (typeof lists)[number]['part']>),
    findings: findings.slice(0, scanLimits.findings),
    level: forbidden.length > 0 ? 'unsupported' : module.level,
  };
}
