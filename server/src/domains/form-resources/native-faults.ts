import type { NativeObjects } from './native-objects.ts';
import type { FormResourcesStore, ResourceRow } from './store.ts';

/** A disagreement of ledger and folder. `row` is the Resource that names the native object, when there is one. */
export type NativeFault = {
  nativeId: string;
  row: Pick<ResourceRow, 'id'> | undefined;
  fault: 'missing' | 'unreadable' | 'foreign' | 'other_version' | 'orphan';
};

type Sources = {
  native: Pick<NativeObjects, 'read' | 'listIds'>;
  store: Pick<FormResourcesStore, 'findByNativeId' | 'findStartedOf' | 'listNativeIds'>;
  /** Reports whether the files of a Workspace are being removed. */
  isLeaving: (workspaceId: string) => boolean;
};

/** Lists the native objects that disagree with the ledger and that no operation in progress explains. Writes nothing. */
export function* listNativeFaults(sources: Sources): Generator<NativeFault> {
  const { native, store } = sources;
  for (const nativeId of new Set([...store.listNativeIds(), ...native.listIds()])) {
    // The second time excludes an operation that changed the one after the other was read.
    const fault = findFault(nativeId, sources) && findFault(nativeId, sources);
    if (fault !== undefined) yield { nativeId, row: store.findByNativeId(nativeId), fault };
  }
}

function findFault(nativeId: string, { native, store, isLeaving }: Sources): NativeFault['fault'] | undefined {
  const object = native.read(nativeId);
  const row = store.findByNativeId(nativeId);
  if (store.findStartedOf(nativeId) || (row && isLeaving(row.workspaceId))) return undefined;
  if (object.state === 'unreadable') return 'unreadable';
  if (object.state === 'missing') return row && 'missing';
  const { owner } = object;
  if (row)
    return owner?.resourceId !== row.id ? 'foreign' : owner.generation !== row.generation ? 'other_version' : undefined;
  return owner && !isLeaving(owner.workspaceId) ? 'orphan' : undefined;
}
