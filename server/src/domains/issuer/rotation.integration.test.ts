import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const here = () => ['--data-dir', server.dataDir];
const listKids = async () => (await server.api.getJwks({})).body.keys.map(({ kid }) => kid);

describe('a rotation of the signing key', () => {
  it('lists the new key first and the replaced one for a day, beside a running server', async () => {
    const [before] = await listKids();
    const { code, out } = await groundctl('oidc', 'rotate', '--json', ...here());
    const { kid, replacedListedUntil } = JSON.parse(out) as { kid: string; replacedListedUntil: string };
    expect([code, await listKids()]).toEqual([0, [kid, before]]);
    const hours = (Date.parse(replacedListedUntil) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
    const rotations = events.filter(({ action }) => action === 'oidc_key.rotated');
    expect(rotations).toMatchObject([{ actorId: 'operator', targetType: 'oidc_key', targetId: kid }]);
  });

  it('is for the operator alone', async () => {
    await expect(server.api.rotateOidcKey({})).rejects.toMatchObject({ status: 401 });
    await expect(server.as('svcpat_none').rotateOidcKey({})).rejects.toMatchObject({ status: 401 });
  });

  it('says how to unseal the vault', async () => {
    const keyFile = testKeyFile(server.dataDir);
    fs.renameSync(keyFile, `${keyFile}.away`);
    await server.restart();
    const { code, err } = await groundctl('oidc', 'rotate', ...here());
    fs.renameSync(`${keyFile}.away`, keyFile);
    await server.restart();
    expect([code, err]).toEqual([1, expect.stringContaining('groundctl vault unseal')]);
    expect(await listKids()).toHaveLength(2);
  });

  it('says that the server is away', async () => {
    const { code, err } = await groundctl('oidc', 'rotate', '--data-dir', `${server.dataDir}/none`);
    expect([code, err]).toEqual([1, expect.stringContaining('Start one with')]);
  });
});
