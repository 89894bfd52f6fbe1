import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const here = () => ['--data-dir', server.dataDir];
const builtIn = 'cfg-default-opentofu-capsule';
const patchFile = (body: unknown): string => {
  const file = path.join(server.dataDir, 'patch.json');
  writeFileSync(file, JSON.stringify(body));
  return file;
};

describe('the commands of the operator', () => {
  it('patch exactly the named InstallConfig', async () => {
    const file = patchFile({
      kind: 'svc.install-config-patch@v1',
      outputAllowlist: { a: { from: 'a', type: 'string' } },
    });
    expect(await groundctl('configs', 'patch', builtIn, file, ...here())).toMatchObject({ code: 0 });
    const { installConfig } = (await server.api.getInstallConfig({ params: { capsuleConfigId: builtIn } })).body;
    expect(installConfig.outputAllowlist).toEqual({ a: { from: 'a', type: 'string' } });
  });

  it('refuse a file that is not a patch before anything is sent', async () => {
    const refused = await groundctl('configs', 'patch', builtIn, patchFile({ kind: 'other' }), ...here());
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('svc.install-config-patch@v1')]);
    const missing = await groundctl('configs', 'patch', builtIn, `${server.dataDir}/none.json`, ...here());
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('cannot be read')]);
  });

  it('disable and enable a Capsule, and list what was done', async () => {
    const { id } = await seedCapsule(server, { status: 'active' });
    expect(await groundctl('capsules', 'disable', id, ...here())).toMatchObject({ code: 0 });
    expect((await server.api.getCapsule({ params: { capsuleId: id } })).body.capsule.status).toBe('disabled');
    expect(await groundctl('capsules', 'enable', id, ...here())).toMatchObject({ code: 0 });
    expect((await server.api.getCapsule({ params: { capsuleId: id } })).body.capsule.status).toBe('active');
    const listed = await groundctl('audit', 'list', '--limit', '9', ...here());
    expect(listed.out).toMatch(/operator\s+capsule.status_changed/);
  });
});
