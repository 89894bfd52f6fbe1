import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { repositoryRoot } from '#server/kernel/entry';

const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: IForbiddenRuleType[];
  options: ICruiseOptions;
};

/** One import, as repository paths; `to` may also be the name of a package or of a module of Node. */
export type PlantedImport = { from: string; to: string };

/** Names of all rules, in the order of the configuration. */
export const ruleNames: readonly string[] = config.forbidden.map(({ name }) => name ?? '');

/** True for a path of this repository that exists. */
export const isFile = (name: string): boolean => fs.existsSync(path.join(repositoryRoot, name));

const isPath = (name: string): boolean => /^(?:\.ci|bench|e2e|electron|renderer|server|shared)\//.test(name);

/** The name of a package for a file in it; other paths stay. */
const packageOf = (to: string): string => to.replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, '$1');

function specifierOf({ from, to }: PlantedImport): string {
  if (!isPath(to)) return to;
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * Returns the breaches that the dependency rules report for files that contain only the given imports, each as `rule:
 * from -> to`. The files are in a temporary folder at their repository paths.
 */
export async function findBreaches(
  imports: readonly PlantedImport[],
  emptyFiles: readonly string[] = [],
): Promise<string[]> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-rules-')));
  try {
    fs.symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(folder, 'node_modules'));
    const contents = new Map<string, string>(emptyFiles.map((file) => [file, 'export {};\n']));
    for (const { to } of imports) if (isPath(to) && isFile(to)) contents.set(to, 'export {};\n');
    for (const [from, planted] of Map.groupBy(imports, ({ from }) => from))
      contents.set(from, planted.map((one) => `import type {} from '${specifierOf(one)}';\n`).join(''));
    for (const [name, content] of contents) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), content);
    }
    const { output } = await cruise([...contents.keys()], {
      ...config.options,
      baseDir: folder,
      validate: true,
      ruleSet: { forbidden: config.forbidden },
    });
    return (output as ICruiseResult).summary.violations.map(
      ({ rule, from, to }) => `${rule.name}: ${from} -> ${packageOf(to)}`,
    );
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
