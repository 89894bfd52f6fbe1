import { type NativeObject, type NativeObjects, nativeText } from './native-objects.ts';
import type { FormResourcesStore, ResourceRow } from './store.ts';

/** Reads of a ledger that native objects are compared with. */
export type NativeLedger = Pick<FormResourcesStore, 'findByNativeId' | 'findStartedOf' | 'listNativeIds'>;
/** Content that agrees with a copied ledger: a text, the file as it is, or nothing. */
export type NativeCopy = { text: string } | 'raw' | 'absent';

type Sources = {
  native: Pick<NativeObjects, 'read' | 'listIds'>;
  /** The copied ledger, which is older than the files. */
  copy: NativeLedger;
  /** The ledger that the server goes on writing. */
  live: Pick<NativeLedger, 'findByNativeId' | 'findStartedOf'>;
};

/**
 * Selects native objects as they were when a ledger was copied. An object that an operation has changed since is written
 * as the copied Resource says that it was last seen. One that was only changed without the form host stays as it is.
 */
export function createNativeCopies({ native, copy, live }: Sources) {
  function hasChanged(nativeId: string, row: ResourceRow | undefined): boolean {
    if (live.findStartedOf(nativeId)) return true;
    const now = live.findByNativeId(nativeId);
    return now?.id !== row?.id || now?.generation !== row?.generation;
  }

  function select(nativeId: string): NativeCopy {
    const object = native.read(nativeId);
    const row = copy.findByNativeId(nativeId);
    // The restored server finishes an operation that has changed its object, and drops others.
    if (agrees(object, { row, started: copy.findStartedOf(nativeId) }) || !hasChanged(nativeId, row))
      return contentOf(object);
    if (row) return lastSeen(row);
    return object.state === 'present' && isImported(nativeId) ? { text: nativeText(object.spec, undefined) } : 'absent';
  }

  function isImported(nativeId: string): boolean {
    return live.findByNativeId(nativeId)?.imported ?? live.findStartedOf(nativeId)?.operation === 'import';
  }

  return {
    /** Lists the ids of every object that the folder or the copied ledger names. */
    listIds: (): string[] => [...new Set([...native.listIds(), ...copy.listNativeIds()])].sort(),
    select,
  };
}

type Recorded = { row: ResourceRow | undefined; started: ReturnType<NativeLedger['findStartedOf']> };

/** Reports whether an object is one that the recorded Resource and its started operation explain. */
function agrees(object: NativeObject, { row, started }: Recorded): boolean {
  if (object.state === 'unreadable') return true;
  if (object.state === 'missing') return started?.operation === 'delete';
  const { owner } = object;
  if (owner === undefined || owner.operation === started?.identity) return true;
  return owner.resourceId === row?.id && owner.generation === row.generation;
}

function contentOf(object: NativeObject): NativeCopy {
  if (object.state === 'missing') return 'absent';
  return object.state === 'unreadable' ? 'raw' : { text: nativeText(object.spec, object.owner) };
}

function lastSeen({ id, workspaceId, generation, ready, outputs, spec }: ResourceRow): NativeCopy {
  if (!ready) return 'absent';
  const owner = { workspaceId, resourceId: id, generation, operation: 'backup' };
  return { text: nativeText(outputs ?? spec, owner) };
}
