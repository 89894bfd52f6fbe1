import type { Vault } from '#server/drivers/vault/index';
import type { ChangeRow, LateMarksRow, PageRow, ProjectionRow } from './store.ts';
import { packJson, unpackJson } from './stored.ts';

type Sealed = { bytes: Buffer };
const contextOf = (table: string, column: string, row: string, workspaceId: string) => ({
  table,
  row,
  column,
  workspaceId,
});

/** Seals and opens the values of this domain, each bound to its row. */
export function createSealing(vault: Pick<Vault, 'seal' | 'open'>) {
  type Owned = { workspaceId: string };
  const secretsOf = ({ stateVersionId, workspaceId }: Pick<ProjectionRow, 'stateVersionId'> & Owned) =>
    contextOf('state_projections', 'secrets', stateVersionId, workspaceId);
  const headOf = ({ stateVersionId, workspaceId }: Pick<ProjectionRow, 'stateVersionId'> & Owned) =>
    contextOf('state_projections', 'head', stateVersionId, workspaceId);
  const pageOf = ({ id, workspaceId }: Pick<PageRow, 'id'> & Owned) =>
    contextOf('projection_pages', 'page', id, workspaceId);
  const marksOf = ({ capsuleId, workspaceId }: Pick<LateMarksRow, 'capsuleId'> & Owned) =>
    contextOf('late_marks', 'marks', capsuleId, workspaceId);
  const addressesOf = ({ id, workspaceId }: Pick<ChangeRow, 'id'> & Owned) =>
    contextOf('resource_changes', 'addresses', id, workspaceId);
  return {
    sealSecrets: (row: Parameters<typeof secretsOf>[0], secrets: readonly string[]) =>
      vault.seal(secretsOf(row), packJson(secrets)),
    openSecrets: (row: ProjectionRow): string[] =>
      row.secrets === null ? [] : unpackJson(vault.open(secretsOf(row), row.secrets)),
    sealHead: (row: Parameters<typeof headOf>[0], { bytes }: Sealed) => vault.seal(headOf(row), bytes),
    openHead: (row: Parameters<typeof headOf>[0] & { head: Buffer }): Buffer => vault.open(headOf(row), row.head),
    sealPage: (row: Parameters<typeof pageOf>[0], { bytes }: Sealed) => vault.seal(pageOf(row), bytes),
    openPage: (row: PageRow): Buffer => vault.open(pageOf(row), row.page),
    sealMarks: (row: Parameters<typeof marksOf>[0], { bytes }: Sealed) => vault.seal(marksOf(row), bytes),
    openMarks: (row: LateMarksRow): Buffer => vault.open(marksOf(row), row.marks),
    sealAddresses: (row: Parameters<typeof addressesOf>[0], addresses: { address: string; previousAddress: string }) =>
      vault.seal(addressesOf(row), packJson(addresses)),
    openAddresses: (row: ChangeRow): { address: string; previousAddress: string } | undefined =>
      row.addresses === null ? undefined : unpackJson(vault.open(addressesOf(row), row.addresses)),
  };
}
export type Sealing = ReturnType<typeof createSealing>;
