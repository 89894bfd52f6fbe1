// Measures what the npm package and the image contain, by folder, and writes the table of docs/releasing.md:
// `node .ci/release/sizes.ts`, after `node server/build.mjs`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSectionOf, replaceSection } from '../../bench/doc-section.ts';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';
import { readContents, sizesByFolder } from './contents.ts';
import { writeImageFiles } from './image-files.ts';
import { packedPaths } from './npm-package.ts';

const releasingPage = path.join(repositoryRoot, 'docs/releasing.md');
const section = 'sizes';
/** A folder may grow by this share of its size, and by the bytes of a small change. */
const allowedShare = 0.1;
const allowedBytes = 65_536;

/** KiB by folder. */
export type Sizes = ReadonlyMap<string, number>;

/** Measures the image's files, which are those of the npm package and the packages that npm installs with it. */
export function measureSizes(): Sizes {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-sizes-'));
  try {
    writeImageFiles(folder);
    const sizes = sizesByFolder(readContents(folder), 2);
    return new Map(sizes.map(([name, bytes]) => [name, Math.ceil(bytes / 1_024)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isPacked = (name: string): boolean => packedPaths.includes(name) || name === 'package.json';

/** Returns the table, the largest folder first. */
export function sizesTable(sizes: Sizes): string {
  const total = (isCounted: (name: string) => boolean) =>
    [...sizes].reduce((sum, [name, size]) => sum + (isCounted(name) ? size : 0), 0);
  const row = (name: string, packed: number | string, image: number) => `| ${name} | ${packed} | ${image} |`;
  return [
    '| folder | npm package, KiB | image, KiB |',
    '| --- | ---: | ---: |',
    ...[...sizes].map(([name, size]) => row(`\`${name}\``, isPacked(name) ? size : '', size)),
    row(
      'all',
      total(isPacked),
      total(() => true),
    ),
  ].join('\n');
}

/** Reads the sizes of the table's folders. */
export const readSizesTable = (table: string): Sizes =>
  new Map([...table.matchAll(/^\| `([^`]+)` \|.*\| (\d+) \|$/gm)].map(([, name = '', size]) => [name, Number(size)]));

/** Returns the folders that are new, or have grown by more than they may, each as a sentence. */
export function growthProblems(stored: Sizes, measured: Sizes): string[] {
  return [...measured].flatMap(([name, size]) => {
    const before = stored.get(name) ?? 0;
    const most = before * (1 + allowedShare) + allowedBytes / 1_024;
    return size <= most ? [] : [`${name} grew from ${before} to ${size} KiB.`];
  });
}

/** Sizes that docs/releasing.md states. */
export const storedSizes = (): Sizes => readSizesTable(readSectionOf(readFileSync(releasingPage, 'utf8'), section));

if (import.meta.main) {
  const text = readFileSync(releasingPage, 'utf8');
  writeFileSync(releasingPage, replaceSection(text, section, sizesTable(measureSizes())));
}
