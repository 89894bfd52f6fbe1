import { isoTime } from '#server/kernel/clock';
import { fileEnvNamesOf } from '#shared/connections/auth-mode';
import type { Connection, ConnectionUse } from '#shared/connections/contract';
import type { ConnectionStatus } from '#shared/connections/machine';
import { sourceAddress } from '#shared/kernel/provider-source';
import type { PinnedRecipe } from './schema.ts';
import type { ConnectionRow, UseRow } from './store.ts';

/** The status with the expiry time taken into account. No timer updates the row, so expiry is computed on each read. */
export const statusOf = (
  { status, expiresAt }: Pick<ConnectionRow, 'status' | 'expiresAt'>,
  now: number,
): ConnectionStatus =>
  (status === 'pending' || status === 'verified') && expiresAt !== null && expiresAt <= now ? 'expired' : status;

const fileNames = ({ files }: ConnectionRow): string[] => files.flatMap(({ envName }) => envName ?? []);

export function connectionOf(row: ConnectionRow, now: number): Connection {
  const fileEnvNames = fileNames(row);
  return {
    id: row.id,
    ...(row.workspaceId !== null && { workspaceId: row.workspaceId }),
    provider: row.provider,
    providerSource: (row.kind === null ? sourceAddress(row.provider) : undefined) ?? row.providerSource,
    ...(row.kind !== null && { kind: row.kind as NonNullable<Connection['kind']> }),
    scope: row.workspaceId === null ? 'operator' : 'workspace',
    status: statusOf(row, now),
    ...(row.displayName !== null && { displayName: row.displayName }),
    materialization: 'secret',
    ...(row.secretPartition !== null && { secretPartition: row.secretPartition }),
    ...(row.recipe && { credentialRecipe: recipeOf(row.recipe, row.secretPartition) }),
    envNames: row.envNames,
    ...(fileEnvNames.length > 0 && { fileEnvNames }),
    ...(row.scopeHints && { scopeHints: row.scopeHints }),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    ...(row.verifiedAt !== null && { verifiedAt: isoTime(row.verifiedAt) }),
    ...(row.expiresAt !== null && { expiresAt: isoTime(row.expiresAt) }),
  };
}

/** Fields that the recipe asks for; the Connection lists its own names separately. */
function recipeOf(
  { id, authMode, mode, requiredEnvGroups, declaredEnv }: PinnedRecipe,
  secretPartition: string | null,
) {
  const envNames = Object.keys(mode.env ?? {});
  const fileEnvNames = fileEnvNamesOf(mode);
  return {
    id,
    authMode,
    ...(secretPartition !== null && { secretPartition }),
    ...(envNames.length > 0 && { envNames }),
    ...(fileEnvNames.length > 0 && { fileEnvNames }),
    ...(requiredEnvGroups.length > 0 && { requiredEnvGroups }),
    ...(declaredEnv && { declaredEnv }),
  };
}

export const useOf = (
  { runId, capsuleId, names, usedAt }: UseRow,
  nameOfCapsule: (capsuleId: string) => string,
): ConnectionUse => ({
  runId,
  ...(capsuleId !== null && { capsuleId, capsuleName: nameOfCapsule(capsuleId) }),
  names,
  usedAt: isoTime(usedAt),
});
