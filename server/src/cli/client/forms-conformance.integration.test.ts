import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { createAuthority } from '../../../test/certificate-authority.ts';
import { groundctl } from '../../../test/command-line.ts';
import { failedStages } from '../../../test/conformance-check.ts';
import { greetingFixture, greetingPackageJson } from '../../../test/conformance-fixture.ts';
import { formHostDeviations } from '../../../test/form-host-deviations.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';

let folder: string;
let ca: string;
let server: TestServer;
beforeAll(async () => {
  folder = tempDir();
  const authority = await createAuthority();
  ca = authority.ca;
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  write('ca.pem', ca);
  server = await startTestServer({
    ca,
    env: {
      GROUNDCTL_FORM_HOST: '1',
      GROUNDCTL_TLS_CERT: write('cert.pem', authority.server.cert),
      GROUNDCTL_TLS_KEY: write('key.pem', authority.server.key),
    },
  });
  write('fixture.json', JSON.stringify(greetingFixture(server.workspaceId)));
  const operator = server.as(server.operatorToken);
  await operator.installFormPackage({ body: { file: 'greeting.json', package: greetingPackageJson } });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await server.close();
  removeTree(folder);
});

/** Writes a native object that no Resource owns. */
function writeNative(nativeId: string): string {
  const native = path.join(server.dataDir, 'forms', 'native');
  fs.mkdirSync(native, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(native, `${nativeId}.json`), JSON.stringify({ spec: { greeting: 'imported' } }), {
    mode: 0o600,
  });
  return nativeId;
}

it('passes all 14 stages of the server over HTTPS', async () => {
  vi.stubEnv('GROUNDCTL_TOKEN', server.token);
  const at = [
    '--endpoint',
    server.url,
    '--form',
    path.join(folder, 'fixture.json'),
    '--ca',
    path.join(folder, 'ca.pem'),
  ];
  const { code, out } = await groundctl('forms', 'conformance', ...at, '--import', writeNative('greeting-1'));
  expect(out.split('\n').filter((line) => !line.startsWith('passed'))).toEqual([
    '14 of 14 stages passed.',
    expect.stringMatching(/^report sha256:[0-9a-f]{64}$/),
    '',
  ]);
  expect(code).toBe(0);
});

describe('the server with a deviation', () => {
  it.each(formHostDeviations.map((deviation, index) => ({ ...deviation, index })))(
    'fails at $stage: $name',
    async ({ index, ...deviation }) => {
      const nativeId = deviation.needsImport && writeNative(`greeting-of-${index}`);
      const { token, workspaceId: space, url: target } = server;
      const failed = await failedStages({ target, ca, token, space, name: `deviation-${index}`, nativeId }, deviation);
      expect(failed.map(({ name }) => name)).toEqual([deviation.stage]);
    },
  );
});
