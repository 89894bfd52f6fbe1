import { expect, test } from 'vitest';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { findForbidden, judged } from './module-policy.ts';

const aws = 'registry.opentofu.org/hashicorp/aws';
const module: Parameters<typeof findForbidden>[0] = {
  level: 'ready',
  findings: [
    {
      severity: 'warning',
      compatibilityImpact: 'none',
      code: 'lockfile_digest_missing',
      message: 'The lock file has no digest.',
      context: { provider: aws },
    },
    { severity: 'info', compatibilityImpact: 'none', code: 'backend_overridden', message: 'Replaced.' },
  ],
  providerPackages: [{ source: aws }],
  resources: [
    { type: 'aws_instance', count: 2, allowed: true },
    { type: 'aws_s3_bucket', count: 1, allowed: true },
  ],
  dataSources: [{ type: 'external', allowed: true }],
  provisioners: [{ type: 'local-exec', allowed: true }],
};
const under = (...policies: PolicyConfig[]) => judged(module, { policies, isMirrored: () => false });
const codes = (...policies: PolicyConfig[]) =>
  findForbidden(module, { policies, isMirrored: () => false }).map(({ code, context }) => [
    code,
    context?.['type'] ?? context?.['provider'],
  ]);

test('without a policy a module is unchanged', () => {
  expect(under({}, {})).toEqual(module);
});

test.each<[keyof PolicyConfig, string, string]>([
  ['allowedResourceTypes', 'resource_type_not_allowed', 'aws_instance'],
  ['allowedDataSourceTypes', 'data_source_type_not_allowed', 'external'],
  ['allowedProvisionerTypes', 'provisioner_not_allowed', 'local-exec'],
  ['allowedProviders', 'provider_not_allowed', aws],
])('a type missing from %s blocks the module and is named', (list, code, what) => {
  expect(codes({ [list]: [] })).toContainEqual([code, what]);
  const report = under({ [list]: [] });
  expect(report.level).toBe('unsupported');
  expect(report.findings[0]).toMatchObject({ code, severity: 'error', compatibilityImpact: 'unsupported' });
});

test('every policy has to allow a type, and each type says whether it is allowed', () => {
  const report = under({ allowedResourceTypes: ['aws_instance', 'x'] }, { allowedResourceTypes: ['aws_instance'] });
  expect(report.resources).toEqual([
    { type: 'aws_instance', count: 2, allowed: true },
    { type: 'aws_s3_bucket', count: 1, allowed: false },
  ]);
  expect(report.provisioners).toEqual([{ type: 'local-exec', allowed: true }]);
});

test('a provider of another registry is not the one that is allowed', () => {
  const foreign = { ...module, providerPackages: [{ source: 'evil.example/hashicorp/aws' }] };
  const judging = { policies: [{ allowedProviders: ['hashicorp/aws'] }], isMirrored: () => true };
  expect(findForbidden(foreign, judging)).toMatchObject([{ code: 'provider_not_allowed' }]);
  expect(findForbidden(module, judging)).toEqual([]);
});

test('a missing digest blocks only when a policy requires it, and is reported once', () => {
  expect(codes({ providerLockfile: { requireDigest: false } })).toEqual([]);
  const report = under({ providerLockfile: { requireDigest: true } });
  expect(report.level).toBe('unsupported');
  expect(report.findings.filter(({ code }) => code === 'lockfile_digest_missing')).toMatchObject([
    { severity: 'error', compatibilityImpact: 'unsupported' },
  ]);
  expect(report.findings).toHaveLength(2);
});

test('when the mirror is required, a provider that it does not hold is blocked', () => {
  const policies = [{ providerInstallation: { requireMirror: true } }];
  expect(findForbidden(module, { policies, isMirrored: (source) => source === aws })).toEqual([]);
  expect(findForbidden(module, { policies, isMirrored: () => false })).toMatchObject([
    { code: 'provider_not_allowed', context: { provider: aws, why: 'mirror' } },
  ]);
});
