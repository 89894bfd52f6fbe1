import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, clock, day, has, put, server, serveSweeps, sweep } from '../../../test/gc-fixture.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { hashPackage } from '../../drivers/tofu/index.ts';

serveSweeps();

const address = 'registry.opentofu.org/hashicorp/time';
/** A package under its hash, as an init stores it. */
function storePackage(version: string): { folder: string; h1: string } {
  const staged = put(`staged/${version}/terraform-provider-time`, version);
  const h1 = hashPackage(path.dirname(staged));
  const hex = Buffer.from(h1.slice(3), 'base64').toString('hex');
  const folder = at('providers', address, version, 'linux_amd64', hex);
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.renameSync(path.dirname(staged), folder);
  return { folder, h1 };
}
const lockOf = (version: string, h1: string) =>
  `provider "${address}" {\n  version = "${version}"\n  hashes = [\n    "${h1}",\n  ]\n}\n`;

describe('provider packages', () => {
  test('are removed a month after the last lock of a live Capsule that named them', async () => {
    const capsule = await seedCapsule(server);
    const [used, planned, unused] = ['0.1.0', '0.2.0', '0.3.0'].map(storePackage) as { folder: string; h1: string }[];
    const seal = (version: string, h1: string | undefined, createdAt: number) => ({
      seal: { lock: lockOf(version, h1 ?? ''), createdAt },
      set: { finishedAt: clock.now(), planExpiresAt: clock.now() + 100 * day },
    });
    seedPlan(server, capsule, seal('0.2.0', planned?.h1, 1));
    seedPlan(server, capsule, {
      ...seal('0.1.0', used?.h1, 2),
      set: { finishedAt: clock.now(), planExpiresAt: clock.now(), supersededAt: clock.now() },
    });
    fs.mkdirSync(at('providers/views/abc', address), { recursive: true });
    fs.symlinkSync(unused?.folder ?? '', at('providers/views/abc', address, '0.3.0'));
    put('providers/.half-fetched/file');
    expect((await sweep({ later: 29 * day })).removed).toMatchObject({ runFolders: 1 });
    expect(fs.existsSync(unused?.folder ?? '')).toBe(true);
    const { removed } = await sweep({ later: 2 * day });
    expect(removed).toEqual({ providerPackages: 1 });
    expect([used, planned, unused].map((item) => fs.existsSync(item?.folder ?? ''))).toEqual([true, true, false]);
    expect(fs.readdirSync(at('providers', address))).toEqual(['0.1.0', '0.2.0']);
    expect([has('providers/views/abc'), has('providers/.half-fetched')]).toEqual([false, false]);
    server.ledger(({ sqlite }) => sqlite.exec("UPDATE capsules SET status = 'destroyed'"));
    expect((await sweep({ later: 29 * day })).removed).not.toHaveProperty('providerPackages');
    expect(fs.existsSync(used?.folder ?? '')).toBe(true);
    await sweep({ later: 80 * day });
    expect(fs.existsSync(used?.folder ?? '')).toBe(false);
  });

  test('are kept while a Run that uses the tool is queued or running', async () => {
    const { folder } = storePackage('0.1.0');
    seedRun(server, { capsuleId: (await seedCapsule(server)).id });
    expect((await sweep({ later: 90 * day })).removed).toEqual({});
    expect(fs.existsSync(folder)).toBe(true);
  });
});
