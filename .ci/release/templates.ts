// Fills the templates of Homebrew and winget from the files of a release:
// `node .ci/release/templates.ts FOLDER BASE_URL OUT`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '../../server/src/kernel/entry.ts';
import { digestsOf } from './checksums.ts';

const templates = path.join(import.meta.dirname, 'templates');

/** Patterns of the files that a template names. Each matches exactly one file of a release. */
const filePatterns: { readonly [name: string]: RegExp } = {
  NPM: /^groundctl-[^-]+\.tgz$/,
  DMG_ARM64: /mac-arm64[^/]*\.dmg$/,
  DMG_X64: /mac-x64[^/]*\.dmg$/,
  NSIS_X64: /win-x64[^/]*\.exe$/,
};

/** Values of a template's placeholders: the version, and the address and digest of each named file. */
export function valuesOf(digests: ReadonlyMap<string, string>, version: string, baseUrl: string): Map<string, string> {
  const values = new Map([['VERSION', version]]);
  for (const [name, pattern] of Object.entries(filePatterns)) {
    const matches = [...digests].filter(([file]) => pattern.test(file));
    const [match] = matches;
    if (match === undefined || matches.length > 1)
      throw new Error(`The release has ${matches.length} files for ${name}. Build each package once.`);
    values.set(`${name}_URL`, `${baseUrl}/${encodeURIComponent(match[0])}`).set(`${name}_SHA256`, match[1]);
  }
  return values;
}

/** Replaces `@NAME@` by its value. Throws when a placeholder has none. */
export const fillTemplate = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/@([A-Z0-9_]+)@/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`The placeholder ${name} has no value.`);
    return value;
  });

/** Writes each template without its ending `.in` into a folder. Returns their names. */
export function writeTemplates(outDir: string, values: ReadonlyMap<string, string>): string[] {
  const names = readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.in'));
  return names.sort().map((name) => {
    const out = path.join(outDir, name.slice(0, -'.in'.length));
    mkdirSync(path.dirname(out), { recursive: true });
    writeFileSync(out, fillTemplate(readFileSync(path.join(templates, name), 'utf8'), values));
    return path.relative(outDir, out);
  });
}

if (import.meta.main) {
  const [folder = '', baseUrl = '', outDir = ''] = process.argv.slice(2);
  if (outDir === '') throw new Error('Usage: node .ci/release/templates.ts FOLDER BASE_URL OUT');
  const names = writeTemplates(outDir, valuesOf(await digestsOf(folder), productVersion(), baseUrl));
  process.stdout.write(`${names.join('\n')}\n`);
}
