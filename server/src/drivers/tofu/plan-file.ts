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
  /** The state that the plan is based on; the lineage is empty when the tool found none. */
  state: { lineage: string; serial: number };
};

const configPrefix = 'tfconfig/m-';
const modulesName = 'tfconfig/modules.json';
const lockName = '.terraform.lock.hcl';
const stateName = 'tfstate';
const textNames = [modulesName, lockName];
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
    entries.filter(({ name }) => textNames.includes(name)).map((entry) => [entry.name, textOf(entry)]),
  );
  const listed = JSON.parse(texts.get(modulesName) ?? '') as { Key: string; Dir: string }[];
  const modules = new Map(listed.map(({ Key, Dir }) => [Key, { dir: Dir, files: new Map<string, Buffer>() }]));
  for (const entry of entries.filter(({ name }) => name.startsWith(configPrefix))) {
    const slash = entry.name.lastIndexOf('/');
    const module = modules.get(entry.name.slice(configPrefix.length, slash));
    if (module === undefined) throw new TypeError('A file belongs to no module.');
    module.files.set(entry.name.slice(slash + 1), entry.read(fileMaxBytes));
  }
  return {
    modules,
    lock: texts.get(lockName) ?? '',
    state: readStateHead(entries.find(({ name }) => name === stateName)),
  };
}

/** Bytes of the archive that hold the first members of a state, whose whole can be large. */
const stateHeadBytes = 4_096;
/** The first members of a state of version 4, in the order in which the tool writes them. */
const stateHead =
  /^\{\s*"version":\s*4,\s*"terraform_version":\s*"[^"]*",\s*"serial":\s*(\d+),\s*"lineage":\s*("(?:[^"\\]|\\.)*")/;

function readStateHead(entry: ZipEntry | undefined): PlannedConfiguration['state'] {
  const [, serial, lineage] = stateHead.exec(entry?.readHead(stateHeadBytes).toString('utf8') ?? '') ?? [];
  if (serial === undefined || lineage === undefined) throw new TypeError('The plan is based on no readable state.');
  return { lineage: JSON.parse(lineage) as string, serial: Number(serial) };
}

const textOf = (entry: ZipEntry): string => entry.read(fileMaxBytes).toString('utf8');
