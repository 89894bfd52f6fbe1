// Writes `SHA256SUMS` of the files of a folder: `node .ci/release/checksums.ts FOLDER`. `sha256sum --check` reads it.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const checksumsName = 'SHA256SUMS';

/** Returns the SHA-256 of each file in a folder as hexadecimal digits by name, sorted, without the list itself. */
export async function digestsOf(folder: string): Promise<Map<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && entry.name !== checksumsName).map(({ name }) => name);
  const digests = new Map<string, string>();
  for (const name of names.sort()) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path.join(folder, name))) hash.update(chunk);
    digests.set(name, hash.digest('hex'));
  }
  return digests;
}

/** Writes the list into the folder and returns its text. */
export async function writeChecksums(folder: string): Promise<string> {
  const lines = [...(await digestsOf(folder))].map(([name, digest]) => `${digest}  ${name}\n`);
  if (lines.length === 0) throw new Error('The folder has no files. Build the packages first.');
  writeFileSync(path.join(folder, checksumsName), lines.join(''));
  return lines.join('');
}

if (import.meta.main) process.stdout.write(await writeChecksums(process.argv[2] ?? 'dist/packages'));
