import type { JsonObject } from '#shared/kernel/json';
import { createFormResourcesStore } from '../src/domains/form-resources/index.ts';
import type { Db } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { formPackage, identityOf } from './form-package.ts';

/** Resources of the form host in the ledger, without native objects and the operations that write them. */
export function createFormResourceRows(db: Db, createdBy: string) {
  const store = createFormResourcesStore(db);
  const form = identityOf(formPackage());
  return {
    insert(workspaceId: string, outputs: JsonObject | null): string {
      const id = newId('formResource');
      store.insertResource({
        id,
        workspaceId,
        kind: form.formRef.kind,
        name: id.toLowerCase().replace('_', '-'),
        form,
        generation: 1,
        spec: {},
        outputs,
        nativeId: id,
        imported: false,
        ready: outputs !== null,
        driftedFields: [],
        observedAt: null,
        createdBy,
        createdAt: 0,
        updatedBy: createdBy,
        updatedAt: 0,
      });
      return id;
    },
    /** Gives a Resource another Output, in its next generation. */
    update(id: string, outputs: JsonObject | null): void {
      const generation = store.find(id)?.generation ?? 0;
      store.updateAt(id, generation, { generation: generation + 1, outputs });
    },
    delete: (id: string): boolean => store.deleteAt(id, store.find(id)?.generation ?? 0),
  };
}
