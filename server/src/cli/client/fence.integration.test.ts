import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { removeTree } from '#server/kernel/remove-tree';
import { groundctl } from '../../../test/command-line.ts';
import { fenceAt } from '../../../test/fence-fixture.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { bucketKeys, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { markRestored } from '../../../test/restored-fixture.ts';

const dir = tempDir();
let bucket: ObjectBucket;
let server: TestServer;
beforeAll(async () => {
  bucket = await startObjectBucket();
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  const env = {
    GROUNDCTL_FENCE_URL: `${bucket.connection.endpoint}/backups/fence`,
    GROUNDCTL_FENCE_KEY_FILE: keyFile,
    GROUNDCTL_FENCE_REGION: bucket.connection.region,
  };
  server = await startTestServer({ env });
  const installationId = server.ledger((db) => findInstallationId(db)) ?? '';
  await fenceAt(bucket, 'server-new', { installationId }).take('operator');
  markRestored(server);
  await server.restart();
});
afterAll(async () => {
  await server.close();
  await bucket.close();
  removeTree(dir);
});

const here = () => ['--data-dir', server.dataDir];
const countSessions = () =>
  server.ledger(({ sqlite }) => sqlite.prepare('SELECT count(*) FROM sessions').pluck().get());

describe('a server that has lost its fence', () => {
  it('answers the reads of its operator, and stores no session for them', async () => {
    const before = countSessions();
    const shown = await groundctl('fence', 'show', ...here());
    expect(shown).toMatchObject({ code: 1, out: expect.stringContaining('The fence names another server.'), err: '' });
    expect(await groundctl('runners', 'list', ...here())).toMatchObject({ code: 0, err: '' });
    expect(await groundctl('audit', 'list', ...here())).toMatchObject({ code: 0, err: '' });
    expect(countSessions()).toBe(before);
  });

  it('refuses a command that needs a session, and says why', async () => {
    const refused = await groundctl('capsules', ...here());
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Another server has taken the fence') });
  });

  it('takes the fence back', async () => {
    const taken = await groundctl('fence', 'take', ...here());
    expect(taken).toMatchObject({ code: 0, out: expect.stringContaining('This server may write (term 3).'), err: '' });
    expect(await groundctl('capsules', ...here())).toMatchObject({ code: 0 });
  });
});
