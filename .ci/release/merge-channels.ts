// Merges the channel files that two builds of one system wrote: `node .ci/release/merge-channels.ts OUT FILE FILE`. The
// updater chooses the package for its processor among their files.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

/** Channel file of electron-builder, as far as it is merged. */
type Channel = { version: string; files: unknown[] };

/** Returns the first channel with the files of all. Throws when they are of different versions. */
export function mergeChannels(texts: readonly string[]): string {
  const [first, ...others] = texts.map((text) => parse(text) as Channel);
  if (!first || others.some(({ version }) => version !== first.version))
    throw new Error('The channel files are of different versions. Build each package from the same tag.');
  return stringify({ ...first, files: [first, ...others].flatMap(({ files }) => files) });
}

if (import.meta.main) {
  const [out = '', ...files] = process.argv.slice(2);
  writeFileSync(out, mergeChannels(files.map((file) => readFileSync(file, 'utf8'))));
}
