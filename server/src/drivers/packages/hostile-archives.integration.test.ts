import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileArchives, partialArchives } from '../../../test/hostile-archives.ts';
import { codeOf, type PackagesFixture, startPackages } from '../../../test/packages-fixture.ts';

let fixture: PackagesFixture;
beforeAll(async () => {
  fixture = await startPackages();
});
afterAll(() => fixture.close());

/** Lower limits than those of the product, so that an archive over them is small. */
const limits = { sizeBytes: 2 << 20, files: 100 };

async function fetchBytes(name: string, bytes: Buffer) {
  const resolved = await fixture.packages.resolve({ address: fixture.registry.file(name, bytes) });
  return fixture.fetch(resolved, { limits });
}

describe('an archive is refused with a code, and nothing is left, when it has', () => {
  it.each(hostileArchives)('$name ($ending)', async ({ ending, code, bytes }) => {
    const before = fs.readdirSync(fixture.root);
    expect(await codeOf(fetchBytes(`hostile.${ending}`, await bytes()))).toBe(code);
    expect(fs.readdirSync(path.join(fixture.root, 'work'))).toEqual([]);
    expect(fs.readdirSync(fixture.root).filter((name) => !['shared', 'work'].includes(name))).toEqual(
      before.filter((name) => !['shared', 'work'].includes(name)),
    );
    const archives = path.join(fixture.root, 'shared', 'archives');
    expect(fs.existsSync(archives) ? fs.readdirSync(archives, { recursive: true }) : []).toEqual([]);
  });
});

describe('an archive is used without', () => {
  it.each(partialArchives)('$name ($ending)', async ({ ending, leftOut, bytes }) => {
    const fetched = await fetchBytes(`partial.${ending}`, await bytes());
    expect(fetched.files).toEqual({ 'main.tf': 'm' });
    expect(fetched.leftOut.map(({ kind }) => kind)).toEqual([leftOut]);
    fs.rmSync(path.join(fixture.root, 'shared'), { recursive: true });
  });
});
