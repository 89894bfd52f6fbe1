import fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { tempDir } from '../../../test/harness.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { createChanges } from './changes.ts';
import { createNativeObjects } from './native-objects.ts';
import { createFormResourcesStore, type OperationRow } from './store.ts';

const dir = tempDir();
let db: Db;
beforeAll(() => {
  db = openTestLedger(dir);
  // The row of the Workspace is not part of the test.
  db.sqlite.pragma('foreign_keys = OFF');
});
afterAll(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const operation: OperationRow = {
  workspaceId: 'ws_1',
  principal: 'acc_1',
  key: 'key-of-an-operation',
  identity: 'sha256:1',
  operation: 'apply',
  kind: 'Bucket',
  name: 'one',
  resourceId: 'res_1',
  nativeId: 'native',
  form: identityOf(formPackage()),
  base: 0,
  spec: { size: 1 },
  createdAt: 1,
  completedAt: null,
};

it('writes nothing for an operation whose row went with its Workspace', () => {
  const store = createFormResourcesStore(db);
  const native = createNativeObjects(dir);
  const changes = createChanges({
    db,
    clock: systemClock,
    store,
    native,
    outbox: { push: () => {} },
    activity: { record: () => {} },
    packages: { findPackage: () => undefined },
    publication: { checkPublication() {}, publish() {}, moved() {}, deleted() {} },
  });
  const denied = expect.objectContaining({ code: 'permission_denied' });
  expect(() => changes.perform(operation)).toThrow(denied);
  expect(native.listIds()).toEqual([]);
  expect(() => db.write(() => changes.commit(operation))).toThrow(denied);
  expect(store.find('res_1')).toBeUndefined();

  db.write(() => changes.start(operation));
  changes.perform(operation);
  db.write(() => changes.commit(operation));
  expect([native.listIds(), store.find('res_1')?.generation]).toEqual([['native'], 1]);
  expect(() => db.write(() => changes.commit({ ...operation, base: 1 }))).toThrow(denied);
  expect(store.find('res_1')?.generation).toBe(1);
});
