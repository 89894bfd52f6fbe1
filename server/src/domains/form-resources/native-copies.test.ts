import { describe, expect, it } from 'vitest';
import { createNativeCopies } from './native-copies.ts';
import type { NativeObject } from './native-objects.ts';
import type { OperationRow, ResourceRow } from './store.ts';

const rowOf = (generation: number, more: Partial<ResourceRow> = {}) =>
  ({
    id: 'res_1',
    workspaceId: 'ws_1',
    generation,
    ready: true,
    spec: { size: generation },
    outputs: null,
    ...more,
  }) as ResourceRow;
const startedOf = (operation: OperationRow['operation'], identity = 'sha256:started') =>
  ({ operation, identity }) as OperationRow;
const ownedBy = (resourceId: string, generation: number, operation = 'sha256:1'): NativeObject => ({
  state: 'present',
  spec: { size: 9 },
  owner: { workspaceId: 'ws_1', resourceId, generation, operation },
});
const free: NativeObject = { state: 'present', spec: { size: 9 }, owner: undefined };
const missing: NativeObject = { state: 'missing' };

type Known = { row?: ResourceRow; started?: OperationRow };
function select(object: NativeObject, copy: Known, live: Known = copy): unknown {
  const ledgerOf = ({ row, started }: Known) => ({
    findByNativeId: () => row,
    findStartedOf: () => started,
    listNativeIds: () => [],
  });
  const native = { read: () => object, listIds: () => [] };
  const selected = createNativeCopies({ native, copy: ledgerOf(copy), live: ledgerOf(live) }).select('one');
  return typeof selected === 'string' ? selected : JSON.parse(selected.text);
}
const asItIs = (object: NativeObject) => ({
  kind: 'svc.form-native@v1',
  ...('spec' in object && { spec: object.spec, ...(object.owner && { owner: object.owner }) }),
});
const owner = { workspaceId: 'ws_1', resourceId: 'res_1', generation: 1, operation: 'backup' };
const lastSeen = (spec: object) => ({ kind: 'svc.form-native@v1', spec, owner });

describe('the copy of a native object', () => {
  it.each<[string, NativeObject, Known, Known, 'as it is' | 'raw' | 'absent' | object]>([
    ['of an unchanged Resource', ownedBy('res_1', 1), { row: rowOf(1) }, { row: rowOf(1) }, 'as it is'],
    ['without an owner', free, {}, {}, 'as it is'],
    ['that cannot be read', { state: 'unreadable' }, { row: rowOf(1) }, { row: rowOf(2) }, 'raw'],
    ['that was missing before', missing, { row: rowOf(1) }, { row: rowOf(1) }, 'absent'],
    ['of no Resource at all', ownedBy('res_lost', 1), {}, {}, 'as it is'],
    [
      'of another owner, changed without the host',
      ownedBy('res_2', 1),
      { row: rowOf(1) },
      { row: rowOf(1) },
      'as it is',
    ],
    ['of a Resource applied since', ownedBy('res_1', 2), { row: rowOf(1) }, { row: rowOf(2) }, lastSeen({ size: 1 })],
    [
      'of a Resource that is being applied',
      ownedBy('res_1', 2, 'sha256:started'),
      { row: rowOf(1, { outputs: { size: 5 } }) },
      { row: rowOf(1), started: startedOf('apply') },
      lastSeen({ size: 5 }),
    ],
    ['of a Resource deleted since', missing, { row: rowOf(1) }, {}, lastSeen({ size: 1 })],
    [
      'that was missing, and applied since',
      ownedBy('res_1', 2),
      { row: rowOf(1, { ready: false }) },
      { row: rowOf(2) },
      'absent',
    ],
    ['of a Resource created since', ownedBy('res_2', 1), {}, { row: rowOf(1, { id: 'res_2' }) }, 'absent'],
    ['that is being created', ownedBy('res_2', 1), {}, { started: startedOf('apply') }, 'absent'],
    [
      'that was imported since',
      ownedBy('res_2', 1),
      {},
      { row: rowOf(1, { id: 'res_2', imported: true }) },
      asItIs(free),
    ],
    ['that is being imported', ownedBy('res_2', 1), {}, { started: startedOf('import') }, asItIs(free)],
    [
      'changed by the operation that the ledger knows as started',
      ownedBy('res_1', 2, 'sha256:started'),
      { row: rowOf(1), started: startedOf('apply') },
      { row: rowOf(2) },
      'as it is',
    ],
    [
      'removed by the operation that the ledger knows as started',
      missing,
      { row: rowOf(1), started: startedOf('delete') },
      {},
      'absent',
    ],
  ])('%s agrees with the copied ledger', (_, object, copy, live, wanted) => {
    expect(select(object, copy, live)).toEqual(wanted === 'as it is' ? asItIs(object) : wanted);
  });
});
