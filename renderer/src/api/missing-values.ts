import { holdsSentinel, type InstallConfig } from '#shared/install-configs/contract';
import type { Json } from '#shared/kernel/json';
import type { CompatibilityReport } from '#shared/sources/report';
import type { Attempt } from './attempts.ts';
import { bindingsPreviewQuery, capsuleBindingsQuery } from './bindings.ts';
import { cancelRevision } from './cancel-revision.ts';
import { api } from './client.ts';
import { dependenciesQuery } from './links.ts';
import { invalidateRecord, queryClient } from './queries.ts';
import { reportQuery } from './records.ts';

const readConfig = async (capsuleConfigId: string): Promise<InstallConfig> =>
  (await api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig;

/**
 * Names of the variables that a module requires and that nothing fills: neither the configuration of the Capsule, nor a
 * Dependency or a Connection. A manifest supplies values of its own, so nothing is known before its plan.
 */
export async function findMissingNames(capsuleId: string, report: CompatibilityReport): Promise<string[]> {
  const required = (report.rootModuleVariableDeclarations ?? []).filter(({ hasDefault }) => !hasDefault);
  if (required.length === 0) return [];
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  const config = await readConfig(capsule.installConfigId);
  if (config.installExperience?.repositoryInstallUx) return [];
  const { asConsumer } = await queryClient.fetchQuery({ ...dependenciesQuery(capsuleId), staleTime: 0 });
  const filled = new Set([
    ...Object.keys(config.variableMapping),
    ...asConsumer.flatMap(({ outputs }) => Object.values(outputs).map(({ to }) => to)),
    ...(await connectionDefaults(capsuleId, report.id)),
  ]);
  return required.map(({ name }) => name).filter((name) => !filled.has(name));
}

async function connectionDefaults(capsuleId: string, reportId: string): Promise<readonly string[]> {
  const { providerBindingSet } = await queryClient.fetchQuery(capsuleBindingsQuery(capsuleId));
  const bindings = providerBindingSet?.bindings ?? [];
  if (bindings.length === 0) return [];
  return (await queryClient.fetchQuery(bindingsPreviewQuery(reportId, bindings))).reach.moduleInputs;
}

type Key = Record<'idempotency-key', string>;

/**
 * Moves the configuration of the Capsule to the commit of an attempt, with values for its new variables. The attempt has
 * to be started again, because its revision plan is based on the previous configuration.
 */
export async function supplyValues(attempt: Attempt, added: Record<string, Json>, key: Key): Promise<void> {
  const { target, reportId, revisionPlanId } = attempt;
  const { capsuleId } = target;
  if (reportId === undefined) return;
  if (revisionPlanId !== undefined) await cancelRevision(revisionPlanId);
  const report = await queryClient.fetchQuery(reportQuery(reportId));
  const { capsule, installConfigReAdoption } = (await api.getCapsule({ params: { capsuleId } })).body;
  const config = await readConfig(capsule.installConfigId);
  const body = {
    baseInstallConfigId: capsule.installConfigId,
    sourceSnapshotId: report.sourceSnapshotId,
    reason: 'Values for the variables of another version',
    reviewedUserVariables: { ...openValues(config, report), ...added } as Record<string, never>,
    expected: installConfigReAdoption,
  };
  await api.reAdopt({ params: { capsuleId }, body }, key);
  invalidateRecord({ kind: 'capsule', id: capsuleId });
}

/** Values that are not secret, of variables that the module still has and a person sets. Secrets are kept by the server. */
function openValues(config: InstallConfig, report: CompatibilityReport): Record<string, Json> {
  const declared = new Set((report.rootModuleVariableDeclarations ?? []).map(({ name }) => name));
  const fixed = new Set(
    (config.variablePresentation ?? []).filter(({ source = 'user' }) => source !== 'user').map(({ name }) => name),
  );
  const values = Object.entries(config.variableMapping as Record<string, Json>);
  return Object.fromEntries(
    values.filter(([name, value]) => declared.has(name) && !fixed.has(name) && !holdsSentinel(value)),
  );
}
