import { worstFirst } from '#server/drivers/scan/index';
import { scanLimits } from '#shared/limits';
import { type Finding, type FindingCode, findingRules } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { allowsProvider, allowsType, type TypeList } from '#shared/workspaces/policy';

type Facts = Pick<
  CompatibilityReport,
  'level' | 'findings' | 'providerPackages' | 'resources' | 'dataSources' | 'provisioners'
>;
/** Under which policies a module is judged; `isMirrored` tells providers that the operator's own mirror holds. */
export type Judging = { policies: readonly PolicyConfig[]; isMirrored: (source: string) => boolean };

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

/** What policies forbid of a module, as far as its files tell (shapes §10, §11.2); a plan tells the rest. */
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
    const message = `A policy takes providers from the mirror of this server alone, and it does not hold ${source}.`;
    return [blocking('provider_not_allowed', message, { provider: source, why: 'mirror' })];
  });
  return [...providers, ...types, ...findUnlocked(module, policies)];
}

/** A lock file is a matter of taste until a policy asks for its digests. */
function findUnlocked({ findings }: Facts, policies: readonly PolicyConfig[]): Finding[] {
  if (!policies.some(({ providerLockfile }) => providerLockfile?.requireDigest === true)) return [];
  return findings
    .filter(({ code }) => lockCodes.includes(code))
    .map((finding) => ({ ...finding, severity: 'error', compatibilityImpact: 'unsupported' }));
}

/** A report as it is under these policies: what is forbidden blocks it, and each type says whether it is allowed. */
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
