import type { ImportRow } from './store.ts';

/** Binds the sealed state of an import to its row. */
export const sealContextOf = ({ id, workspaceId }: Pick<ImportRow, 'id' | 'workspaceId'>) => ({
  table: 'imports',
  row: id,
  column: 'state',
  workspaceId,
});
