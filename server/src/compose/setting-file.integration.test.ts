import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestServer, tempDir } from '../../test/harness.ts';
import { removeTree } from '../kernel/remove-tree.ts';
import { StartError } from '../kernel/start-error.ts';
import { readAuthorities } from './setting-file.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => removeTree(dir));

it('returns the authorities of the setting, and undefined without it', () => {
  const caFile = path.join(dir, 'ca.pem');
  fs.writeFileSync(caFile, 'PEM');
  expect([readAuthorities({ caFile }), readAuthorities({ caFile: undefined })]).toEqual(['PEM', undefined]);
});

it.each([
  ['NATS', { GROUNDCTL_NATS_URL: 'tls://127.0.0.1:1' }],
  ['the term', { GROUNDCTL_NATS_URL: 'tls://127.0.0.1:1', GROUNDCTL_FENCE_URL: 'nats' }],
])('names the setting when a server with %s starts without its file', async (_, env) => {
  const starting = startTestServer({ env: { ...env, GROUNDCTL_CA_FILE: path.join(dir, 'none.pem') } });
  await expect(starting).rejects.toThrow(
    new StartError(
      'GROUNDCTL_CA_FILE must name a file of at most 2 MiB. Check its path, and that this user may read it.',
    ),
  );
});
