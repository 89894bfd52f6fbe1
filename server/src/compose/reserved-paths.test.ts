import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { repositoryRoot } from '../kernel/entry.ts';
import { readSettings } from '../kernel/settings.ts';
import { listReservedPaths } from './reserved-paths.ts';

let root: string;
const at = (name: string) => path.join(root, name);
beforeAll(() => {
  root = realpathSync(tempDir());
  mkdirSync(at('real-tools'));
  symlinkSync(at('real-tools'), at('tools'));
});
afterAll(() => rmSync(root, { recursive: true }));

test('lists the data, the programs and the keys of the server, also where links lead', () => {
  const settings = readSettings({
    GROUNDCTL_DATA_DIR: at('data'),
    GROUNDCTL_TOOL_PATH: at('tools'),
    GROUNDCTL_PROVIDER_MIRROR: at('mirror'),
    GROUNDCTL_KEY_FILE: at('key'),
    GROUNDCTL_PASSPHRASE_FILE: at('passphrase'),
    GROUNDCTL_CA_FILE: at('ca.pem'),
    GROUNDCTL_SUPERVISOR_NODE: at('node'),
  });
  const env = { PATH: `${at('bin')}::relative:/usr/bin`, XDG_CACHE_HOME: at('cache') };
  const reserved = listReservedPaths(settings, { env, home: at('home') });
  const names = [
    'data',
    'tools',
    'real-tools',
    'mirror',
    'key',
    'passphrase',
    'ca.pem',
    'node',
    'bin',
    'cache/groundctl',
  ];
  expect(reserved).toEqual(expect.arrayContaining([...names.map(at), repositoryRoot, process.execPath]));
  expect(reserved.filter((one) => !path.isAbsolute(one))).toEqual([]);
});
