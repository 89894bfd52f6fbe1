import type { ReadFormResource } from '../src/domains/interfaces/form-resource-reader.ts';

/** Resources of the form host as Interfaces read them, without the operations that write them. */
export function createFormResourceRows() {
  const rows = new Map<string, ReadFormResource>();
  let count = 0;
  return {
    reader: { find: (id: string) => rows.get(id) },
    insert(workspaceId: string, outputs: ReadFormResource['outputs']): string {
      count += 1;
      const id = `res_${count}`;
      rows.set(id, { workspaceId, generation: 1, outputs });
      return id;
    },
    /** Gives a Resource other Outputs, in its next generation. */
    update(id: string, outputs: ReadFormResource['outputs']): void {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, generation: row.generation + 1, outputs });
    },
    delete: (id: string): void => void rows.delete(id),
  };
}
