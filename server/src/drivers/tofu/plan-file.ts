import { TofuError } from './error.ts';
import { isUnambiguous, listZip, type ZipEntry } from './zip.ts';

/** Facts in a plan file about the configuration that an apply of it uses. */
export type PlannedConfiguration = {
  /**
   * By the key of each module (`''` for the root, `a.b` for a nested one): its folder, as the tool names it, and its
   * files.
   */
  modules: ReadonlyMap<string, { dir: string; files: ReadonlyMap<string, Buffer> }>;
  /** Text of the lock file. */
  lock: string;
};

const configPrefix = 'tfconfig/m-';
const modulesName = 'tfconfig/modules.json';
const lockName = '.terraform.lock.hcl';
const fileMaxBytes = 67_108_864;

/** Reads the configuration in an unsealed plan file; undefined when it has another form. */
export function readPlannedConfiguration(plan: Buffer): PlannedConfiguration | undefined {
  try {
    return isUnambiguous(plan) ? readEntries(listZip(plan)) : undefined;
  } catch (error) {
    if (error instanceof TofuError || error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function readEntries(entries: readonly ZipEntry[]): PlannedConfiguration {
  const texts = new Map(
    entries.filter(({ name }) => name === modulesName || name === lockName).map((entry) => [entry.name, textOf(entry)]),
  );
  const listed = JSON.parse(texts.get(modulesName) ?? '') as { Key: string; Dir: string }[];
  const modules = new Map(listed.map(({ Key, Dir }) => [Key, { dir: Dir, files: new Map<string, Buffer>() }]));
  for (const entry of entries.filter(({ name }) => name.startsWith(configPrefix))) {
    const slash = entry.name.lastIndexOf('/');
    const module = modules.get(entry.name.slice(configPrefix.length, slash));
    if (module === undefined) throw new TypeError('A file belongs to no module.');
    module.files.set(entry.name.slice(slash + 1), entry.read(fileMaxBytes));
  }
  return { modules, lock: texts.get(lockName) ?? '' };
}

const textOf = (entry: ZipEntry): string => entry.read(fileMaxBytes).toString('utf8');
