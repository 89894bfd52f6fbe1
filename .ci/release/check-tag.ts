// Checks that a tag may become a release: `node .ci/release/check-tag.ts TAG`.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion, repositoryRoot } from '../../server/src/kernel/entry.ts';

const dataFolders = 'server/test/earlier-versions';

type Checkout = {
  version: string;
  changelog: string;
  /** Names of the files with data folders of versions. */
  dataFolders: readonly string[];
};

/** Returns why a tag is no release of this checkout, or undefined. */
export function tagProblem(tag: string, { version, changelog, ...checkout }: Checkout): string | undefined {
  if (tag !== `v${version}`) return `The tag must be v${version}, the version of package.json.`;
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version}`));
  if (heading === undefined) return `CHANGELOG.md has no section of ${version}. Add one.`;
  if (heading !== `## ${version}` && !/ - \d{4}-\d{2}-\d{2}$/.test(heading))
    return `CHANGELOG.md says that ${version} is not released. Put the date into its heading.`;
  const isWritten = checkout.dataFolders.some((name) => name.startsWith(`${version}-ledger-`));
  if (!isWritten) return `There is no data folder of ${version}. Run node ${dataFolders}/write.ts and commit its file.`;
  return undefined;
}

if (import.meta.main) {
  const changelog = readFileSync(path.join(repositoryRoot, 'CHANGELOG.md'), 'utf8');
  const names = readdirSync(path.join(repositoryRoot, dataFolders));
  const checkout = { version: productVersion(), changelog, dataFolders: names };
  const problem = tagProblem(process.argv[2] ?? '', checkout);
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  process.exitCode = problem === undefined ? 0 : 1;
}
