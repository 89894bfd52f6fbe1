import { describe, expect, test } from 'vitest';
import type { RunnerCapability } from '#shared/execution/tool';
import type { CompatibilityReport } from '#shared/sources/report';
import { bringsNew, isWorthWarning } from './module-code.ts';

type Report = Pick<CompatibilityReport, 'findings' | 'providerPackages'>;
const finding = (code: string, message = 'x'): Report['findings'][number] =>
  ({ code, path: 'main.tf', message, severity: 'warning', compatibilityImpact: 'none' }) as Report['findings'][number];
const report = (codes: string[] = [], sources: string[] = []): Report => ({
  findings: codes.map((code) => finding(code)),
  providerPackages: sources.map((source) => ({ source })),
});
const runner = (more: Partial<RunnerCapability> = {}): RunnerCapability => ({
  available: true,
  toolName: 'tofu',
  toolVersion: '1.12.6',
  sandbox: 'bwrap',
  network: 'isolated',
  ...more,
});

describe('a plan is worth a warning', () => {
  const plain = report();
  const provider = report([], ['registry.opentofu.org/hashicorp/aws']);
  const program = report(['external_program_present']);
  const cases: [string, Report, Partial<RunnerCapability>, boolean][] = [
    ['not for a module without programs in a sandbox', plain, {}, false],
    ['not for providers in a network of their own', provider, {}, false],
    ['not for a module without programs, whatever the network', plain, { network: 'shared' }, false],
    ['for providers that share the network', provider, { network: 'shared' }, true],
    ['for code of the module, whatever keeps it apart', program, { network: 'none' }, true],
    ['for everything without a sandbox', plain, { sandbox: 'none', network: 'shared' }, true],
    ['for everything without a sandbox, even without a network', plain, { sandbox: 'none', network: 'none' }, true],
    ['for the other tool', plain, { toolName: 'terraform' }, true],
  ];
  test.each(cases)('%s', (_name, module, more, expected) =>
    expect(isWorthWarning(module, runner(more))).toBe(expected),
  );
});

test('reports a provider or code that the module did not have before as new', () => {
  const known = report(['provisioner_present', 'tfvars_ignored'], ['a']);
  expect(bringsNew(report(['provisioner_present'], ['a']), known)).toBe(false);
  expect(bringsNew(report([], []), known)).toBe(false);
  expect(bringsNew(report(['lockfile_digest_missing'], ['a']), known)).toBe(false);
  expect(bringsNew(report([], ['a', 'b']), known)).toBe(true);
  expect(bringsNew(report(['external_program_present'], ['a']), known)).toBe(true);
  expect(bringsNew({ ...known, findings: [finding('provisioner_present', 'other')] }, known)).toBe(true);
});
