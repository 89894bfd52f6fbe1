// Checks that a deb and an rpm install the same files: `node .ci/release/compare-linux-packages.ts DEB RPM`.
import { execFileSync } from 'node:child_process';

const read = (file: string, ...argv: string[]): string =>
  execFileSync(file, argv, { encoding: 'utf8', maxBuffer: 64 * 1_048_576 });

/** Returns the files and links that `dpkg-deb --contents` lists, sorted. */
export function debFiles(listing: string): string[] {
  const lines = listing.split('\n').filter((line) => line !== '' && !line.startsWith('d'));
  return lines.map((line) => line.replace(/^(?:\S+\s+){5}\./, '').replace(/ (?:->|link to) .*$/, '')).sort();
}

/** Returns the files and links that `rpm --query --list --verbose` lists, sorted. */
export function rpmFiles(listing: string): string[] {
  const lines = listing.split('\n').filter((line) => /^[-l]/.test(line));
  return lines.map((line) => line.replace(/^[^/]*?(?=\/)/, '').replace(/ -> .*$/, '')).sort();
}

/** Files that each format has for itself: links by build id, and the change log. */
const isOfFormat = (name: string): boolean => /^\/usr\/lib\/\.build-id\/|^\/usr\/share\/doc\//.test(name);

/** Returns the files that only one of two packages has. */
export function differences(deb: string[], rpm: string[]): string[] {
  const [inDeb, inRpm] = [new Set(deb), new Set(rpm)];
  const onlyDeb = deb.filter((name) => !inRpm.has(name) && !isOfFormat(name)).map((name) => `only in the deb: ${name}`);
  const onlyRpm = rpm.filter((name) => !inDeb.has(name) && !isOfFormat(name)).map((name) => `only in the rpm: ${name}`);
  return [...onlyDeb, ...onlyRpm];
}

if (import.meta.main) {
  const [deb = '', rpm = ''] = process.argv.slice(2);
  const ofDeb = debFiles(read('dpkg-deb', '--contents', deb));
  const found = differences(ofDeb, rpmFiles(read('rpm', '--query', '--list', '--verbose', '--package', rpm)));
  for (const line of found) process.stderr.write(`${line}\n`);
  process.stdout.write(found.length === 0 ? `Both packages install the same ${ofDeb.length} files.\n` : '');
  process.exitCode = found.length === 0 ? 0 : 1;
}
