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

type Context = Pick<LaunchContext, 'job' | 'layout'>;

/** Largest file of a configuration, and the tool's own list of modules. */
const fileMaxBytes = 67_108_864;

/**
 * What of the configuration in a saved plan differs from the tree, which must stand as the Run laid it out; undefined when
 * nothing does. An apply follows the configuration in the plan, provisioners included, and providers run while it is made.
 */
export function findAlteredConfiguration(context: Context, planFile: Buffer, lock: string): string | undefined {
  const planned = readPlannedConfiguration(openPlan(context, planFile));
  if (planned === undefined) return 'the plan file has another form than the tool gives it';
  if (!isSameLock(planned.lock, lock)) return 'the lock file';
  return findOtherModule(context, planned) ?? findOtherFile(context, planned);
}

/** Another key than the Run's has sealed a plan that cannot be opened, so that it reads as one of another form. */
function openPlan({ job }: Context, planFile: Buffer): Buffer {
  try {
    return isSealing(job) ? openSealed(planFile, job.sealing.encryptionKey) : planFile;
  } catch (error) {
    if (error instanceof TofuError) return Buffer.alloc(0);
    throw error;
  }
}

const entriesOf = (lock: string): readonly string[] =>
  parseLock(lock)
    .map(({ address, version, hashes }: LockEntry) => JSON.stringify([address, version, [...hashes].sort()]))
    .sort();

/** The tool writes the file of a plan from what it has read, so that its white space may differ. */
const isSameLock = (planned: string, lock: string): boolean =>
  JSON.stringify(entriesOf(planned)) === JSON.stringify(entriesOf(lock));

/** Init notes where each module is; without a call of another one it may note nothing. */
function findOtherModule({ layout }: Context, { modules }: PlannedConfiguration): string | undefined {
  const noted = readPlainFile(path.join(layout.host.data, 'modules/modules.json'), fileMaxBytes);
  const { Modules } = JSON.parse(noted?.toString('utf8') ?? '{"Modules":[]}') as { Modules: Noted[] };
  const dirs = new Map([['', '.'], ...Modules.map(({ Key, Dir }) => [Key, path.posix.normalize(Dir)] as const)]);
  const other = [...modules].find(([key, { dir }]) => dirs.get(key) !== path.posix.normalize(dir));
  if (other !== undefined) return `the module "${other[0]}"`;
  return modules.has('') ? undefined : 'the root module';
}

type Noted = { Key: string; Dir: string };

function findOtherFile({ job, layout }: Context, { modules }: PlannedConfiguration): string | undefined {
  for (const { dir, files } of modules.values()) {
    const folder = path.resolve(layout.moduleDir, dir);
    const nameOf = (name: string) => path.relative(layout.host.tree, path.join(folder, name));
    if (path.relative(layout.host.tree, folder).startsWith('..')) return `the folder "${dir}"`;
    const missing = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && isConfigName(entry.name))
      .map(({ name }) => name)
      .find((name) => isRead(name, files, job.tool.name) && !files.has(name));
    if (missing !== undefined) return `the file "${nameOf(missing)}"`;
    for (const [name, bytes] of files)
      if (readPlainFile(path.join(folder, name), fileMaxBytes)?.equals(bytes) !== true)
        return `the file "${nameOf(name)}"`;
  }
  return undefined;
}

/** Whether the tool reads a file: terraform none of OpenTofu's own, and that none with a twin of those. */
function isRead(name: string, files: ReadonlyMap<string, Buffer>, tool: LaunchContext['job']['tool']['name']): boolean {
  if (/\.tofu(?:\.json)?$/.test(name)) return tool === 'tofu';
  return tool !== 'tofu' || !files.has(name.replace(/\.tf(\.json)?$/, '.tofu$1'));
}
