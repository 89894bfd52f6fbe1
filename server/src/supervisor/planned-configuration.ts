import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  isConfigName,
  type LockEntry,
  openSealed,
  type PlannedConfiguration,
  parseLock,
  readPlannedConfiguration,
  TofuError,
} from '#server/drivers/tofu/index';
import { readPlainFile } from '../os/durable-file.ts';
import { isSealing } from '../runner/contract/layout.ts';
import type { LaunchContext } from './launch-context.ts';

type Context = Pick<LaunchContext, 'spec' | 'layout'>;

/** Maximum size of a configuration file and of the tool's list of modules. */
const fileMaxBytes = 67_108_864;

/** Reads the configuration and the base state of a saved plan; undefined when the file has another form. */
export const readPlanned = (context: Context, planFile: Buffer): PlannedConfiguration | undefined =>
  readPlannedConfiguration(openPlan(context, planFile));

/**
 * Returns the first difference between the configuration in a saved plan and the tree, which must be as the Run wrote
 * it; undefined without a difference. An apply follows the configuration in the plan, provisioners included, and
 * providers run while the plan is created.
 */
export function findAlteredConfiguration(
  context: Context,
  planned: PlannedConfiguration | undefined,
  lock: string,
): string | undefined {
  if (planned === undefined) return 'the plan file has another form than the tool gives it';
  if (!isSameLock(planned.lock, lock)) return 'the lock file';
  return findOtherModule(context, planned) ?? findOtherFile(context, planned);
}

/** Opens the plan file. A plan sealed with another key than the Run's cannot be opened and is treated as one of another format. */
function openPlan({ spec }: Context, planFile: Buffer): Buffer {
  try {
    return isSealing(spec) ? openSealed(planFile, spec.sealing.encryptionKey) : planFile;
  } catch (error) {
    if (error instanceof TofuError) return Buffer.alloc(0);
    throw error;
  }
}

const entriesOf = (lock: string): readonly string[] =>
  parseLock(lock)
    .map(({ address, version, hashes }: LockEntry) => JSON.stringify([address, version, [...hashes].sort()]))
    .sort();

/** Compares lock files. The tool writes the one of a plan from its parsed form, so white space may differ. */
const isSameLock = (planned: string, lock: string): boolean =>
  JSON.stringify(entriesOf(planned)) === JSON.stringify(entriesOf(lock));

/** Returns a module whose recorded location differs. Init records where each module is; without module calls it may record nothing. */
function findOtherModule({ layout }: Context, { modules }: PlannedConfiguration): string | undefined {
  const noted = readPlainFile(path.join(layout.host.data, 'modules/modules.json'), fileMaxBytes);
  const { Modules } = JSON.parse(noted?.toString('utf8') ?? '{"Modules":[]}') as { Modules: Noted[] };
  const dirs = new Map([['', '.'], ...Modules.map(({ Key, Dir }) => [Key, path.posix.normalize(Dir)] as const)]);
  const other = [...modules].find(([key, { dir }]) => dirs.get(key) !== path.posix.normalize(dir));
  if (other !== undefined) return `the module "${other[0]}"`;
  return modules.has('') ? undefined : 'the root module';
}

type Noted = { Key: string; Dir: string };

function findOtherFile({ spec, layout }: Context, { modules }: PlannedConfiguration): string | undefined {
  for (const { dir, files } of modules.values()) {
    const folder = path.resolve(layout.moduleDir, dir);
    const nameOf = (name: string) => path.relative(layout.host.tree, path.join(folder, name));
    if (path.relative(layout.host.tree, folder).startsWith('..')) return `the folder "${dir}"`;
    const missing = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && isConfigName(entry.name))
      .map(({ name }) => name)
      .find((name) => isRead(name, files, spec.tool.name) && !files.has(name));
    if (missing !== undefined) return `the file "${nameOf(missing)}"`;
    for (const [name, bytes] of files)
      if (readPlainFile(path.join(folder, name), fileMaxBytes)?.equals(bytes) !== true)
        return `the file "${nameOf(name)}"`;
  }
  return undefined;
}

/**
 * Reports whether the tool reads a file: terraform ignores OpenTofu's own files, and OpenTofu ignores files that have
 * an OpenTofu variant.
 */
function isRead(
  name: string,
  files: ReadonlyMap<string, Buffer>,
  tool: LaunchContext['spec']['tool']['name'],
): boolean {
  if (/\.tofu(?:\.json)?$/.test(name)) return tool === 'tofu';
  return tool !== 'tofu' || !files.has(name.replace(/\.tf(\.json)?$/, '.tofu$1'));
}
