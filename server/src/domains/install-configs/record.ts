import { isoTime } from '#server/kernel/clock';
import { type InstallConfig, redactedSentinel } from '#shared/install-configs/contract';
import type { Json } from '#shared/kernel/json';
import type { ConfigRow } from './store.ts';

/** The public projection: secret values are replaced; provenance and private members are left out. */
export function configOf(row: ConfigRow, secretNames: readonly string[]): InstallConfig {
  const userVariables = (row.parts?.variablePresentation ?? []).filter(({ source }) => source !== 'host');
  const isGenerated = (name: string) =>
    row.parts?.generatedSecrets?.some(({ variable }) => variable === name) &&
    !userVariables.some((one) => one.name === name);
  const shownNames = secretNames.filter((name) => !isGenerated(name));
  const hidden = Object.fromEntries(shownNames.map((name) => [name, redactedSentinel as Json]));
  const {
    generatedSecrets: _secrets,
    requiredInterfaces: _interfaces,
    publicHostname: _hostname,
    outputAllowlist = {},
    ...shown
  } = row.parts ?? {};
  return {
    id: row.id,
    ...(row.workspaceId !== null && { workspaceId: row.workspaceId }),
    name: row.name,
    ...(row.modulePath !== null && { modulePath: row.modulePath }),
    variableMapping: { ...row.variableMapping, ...hidden } as InstallConfig['variableMapping'],
    ...shown,
    policy: row.policy,
    outputAllowlist,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
