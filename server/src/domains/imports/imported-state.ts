import { failedPrecondition } from '#server/kernel/errors';
import type { ImportRow, ImportsStore } from './store.ts';

/** Binds the sealed state of an import to its row. */
export const sealContextOf = ({ id, workspaceId }: Pick<ImportRow, 'id' | 'workspaceId'>) => ({
  table: 'imports',
  row: id,
  column: 'state',
  workspaceId,
});

/** Throws 409 `import_lineage_taken` when a Capsule has the lineage: two Capsules would change the same resources. */
export function requireFreeLineage(
  store: Pick<ImportsStore, 'findHolder'>,
  lineage: string,
  workspaceId: string,
): void {
  const holder = store.findHolder(lineage);
  if (!holder) return;
  throw failedPrecondition(
    'import_lineage_taken',
    'A Capsule of this installation already has a state of this lineage, so it manages these resources. Destroy or remove that Capsule, or do not import this folder.',
    holder.workspaceId === workspaceId ? { capsuleId: holder.capsuleId } : {},
  );
}
