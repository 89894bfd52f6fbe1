import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { removeTree } from '#server/kernel/remove-tree';
import { fenceAt } from '../../../test/fence-fixture.ts';
import { callsOf, type FormHostFixture, startFormHost, statusOf } from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { tempDir } from '../../../test/harness.ts';
import { bucketKeys, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { markRestored } from '../../../test/restored-fixture.ts';

const dir = tempDir();
let bucket: ObjectBucket;
let f: FormHostFixture;
beforeAll(async () => {
  bucket = await startObjectBucket();
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  const env = {
    GROUNDCTL_FENCE_URL: `${bucket.connection.endpoint}/backups/fence`,
    GROUNDCTL_FENCE_KEY_FILE: keyFile,
    GROUNDCTL_FENCE_REGION: bucket.connection.region,
  };
  f = await startFormHost({ env });
});
afterAll(async () => {
  await f.server.close();
  await bucket.close();
  removeTree(dir);
});

const operator = () => f.server.as(f.server.operatorToken);
/** Leaves the ledger as it is between the two transactions of a create. */
const interruptCreate = () =>
  f.server.ledger(({ sqlite }) => {
    sqlite.prepare('UPDATE form_operations SET completed_at = NULL, spec = (SELECT spec FROM form_resources)').run();
    sqlite.prepare('DELETE FROM form_resources').run();
  });
const countStarted = () =>
  f.server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT count(*) FROM form_operations WHERE completed_at IS NULL').pluck().get(),
  );

test('an interrupted operation is settled only when no other server writes and a restored installation has resumed', async () => {
  const created = await f.apply({ name: 'one' });
  interruptCreate();
  const installationId = f.server.ledger((db) => findInstallationId(db)) ?? '';
  await fenceAt(bucket, 'server-new', { installationId }).take('operator');
  await f.server.restart();
  expect(statusOf(await f.apply({ name: 'two' }))).toEqual([503, 'backend_unavailable']);
  expect([countStarted(), statusOf(await f.read('one'))]).toEqual([1, [404, 'resource_not_found']]);

  markRestored(f.server);
  await f.server.restart();
  await operator().takeFence({});
  const { session } = (await operator().issueSession({ body: {} })).body;
  const again = callsOf(f.server, identityOf(formPackage()), () => session.token);
  expect([countStarted(), statusOf(await again.read('one'))]).toEqual([1, [404, 'resource_not_found']]);

  await operator().resumeInstallationAsOperator({});
  await vi.waitFor(() => expect(countStarted()).toBe(0));
  expect((await again.read('one')).json).toEqual(created.json);
});
