import path from 'node:path';
import { makeFolder, makeWorkFolder } from '#server/kernel/disk';
import { removeTree } from '#server/kernel/remove-tree';
import { bareTmpFolder, credentialFolder, memoryFolder, shortFolders, socketFolder } from '../../os/memory-folder.ts';
import { awaitedConfigInside, sandboxPaths, type ToolPaths } from '../../os/sandbox.ts';
import type { ExecutionSpec } from './execution-spec.ts';

/** Files and names of one command's output, status and control group. */
export type Slot = {
  stdout: string;
  stderr: string;
  status: string;
  /** Path at which a prewarmed tool reads its CLI configuration. */
  cli: string;
  /** Suffix of the name of its control group. */
  group: string;
};

/** All paths of a Run: on the host, and as the tool sees them. */
export type Layout = {
  host: { tree: string; state: string; data: string; plan: string; home: string; tmp: string; sockets: string };
  seen: ToolPaths;
  /** The sealed plan file of this Run. */
  sealedPlan: string;
  /** In-memory folder for a tool that writes plan and state unencrypted; undefined for one that seals them itself. */
  memory: string | undefined;
  /** The module's folder on the host, and as the tool's working folder. */
  moduleDir: string;
  workDir: string;
  stateFile: string;
  /** Two slots, so that the next command can be prewarmed while one runs. Processes that outlive their supervisor are in the first. */
  slots: readonly [Slot, Slot];
};

/**
 * Returns the folders of a Run. Without a sandbox the tool sees the host's paths. Those of the Capsule's folder are the
 * same in every Run, so a module that writes an absolute path into a resource sees no change.
 */
export function layoutOf(spec: ExecutionSpec): Layout {
  const inRun = (name: string) => path.join(spec.runDir, name);
  const inCapsule = (name: string) => path.join(spec.capsuleDir, name);
  const memory = spec.tool.name === 'terraform' ? memoryFolder(spec.capsuleDir) : undefined;
  const host = {
    tree: inCapsule('tree'),
    state: memory === undefined ? inCapsule('state') : path.join(memory, 'state'),
    data: inCapsule('data'),
    plan: path.join(memory ?? spec.runDir, 'planned', 'plan'),
    home: inCapsule('home'),
    tmp: spec.sandbox === 'bwrap' ? inCapsule('tmp') : bareTmpFolder(spec.capsuleDir),
    sockets: socketFolder(spec.capsuleDir),
  };
  const bare: ToolPaths = {
    ...host,
    providers: spec.providers.storeDir,
    tool: spec.tool.path,
    keyFile: inRun('key.json'),
    variablesFile: inRun('vars.tfvars.json'),
    cliConfigFile: inRun('cli.tfrc'),
    credentials: credentialFolder(spec.capsuleDir),
    // Beside the credentials, so that they are removed together.
    states: path.join(credentialFolder(spec.capsuleDir), '.states'),
  };
  const seen = spec.sandbox === 'bwrap' ? sandboxPaths : bare;
  return {
    host,
    seen,
    sealedPlan: inRun('plan'),
    memory,
    moduleDir: path.join(host.tree, spec.modulePath),
    workDir: path.join(seen.tree, spec.modulePath),
    stateFile: path.join(host.state, stateFileName),
    slots: [slotIn(spec.runDir, ''), slotIn(spec.runDir, nextGroup)],
  };
}

const nextGroup = '-next';

/** Control group suffixes of both slots. */
export const slotGroups = ['', nextGroup] as const;

/** Returns the FIFO from which a prewarmed tool reads its CLI configuration, in the folder of its slot. */
export const configFifoIn = (folder: string): string => path.join(folder, path.posix.basename(awaitedConfigInside));

const slotIn = (runDir: string, group: string): Slot => ({
  stdout: path.join(runDir, `stdout${group}.fifo`),
  stderr: path.join(runDir, `stderr${group}.fifo`),
  status: path.join(runDir, `status${group}.json`),
  cli: path.join(runDir, `cli${group}`),
  group,
});

/** Maximum number of FIFOs that a Run needs. */
export const fifoCount = 6;

/** Returns the FIFOs of a Run: for the output of its commands, and for the prewarmed one. An apply runs alone. */
export const fifosOf = ({ slots }: Layout, { operation }: ExecutionSpec): string[] =>
  (operation === 'apply' ? slots.slice(0, 1) : slots).flatMap(({ stdout, stderr, cli }) => [
    stdout,
    stderr,
    ...(operation === 'apply' ? [] : [configFifoIn(cli)]),
  ]);

export const stateFileName = 'terraform.tfstate';

/** Returns the state file of a Capsule's tool, for callers without a spec. */
export const stateFileOf = (capsuleDir: string, tool: ExecutionSpec['tool']['name']): string =>
  path.join((tool === 'terraform' ? memoryFolder(capsuleDir) : undefined) ?? capsuleDir, 'state', stateFileName);

export function makeFolders({ host, slots }: Layout, spec: ExecutionSpec): void {
  const ofSlots = slots.map(({ cli }) => cli);
  for (const folder of [host.tree, host.state, host.data, host.home, host.tmp, ...ofSlots]) makeWorkFolder(folder);
  if (isSealing(spec)) makeWorkFolder(path.dirname(host.plan));
  makeFolder(spec.providers.storeDir);
}

/** True for OpenTofu, which seals plan and state itself. terraform cannot: its files are unencrypted while a command runs. */
export const isSealing = (spec: ExecutionSpec): boolean => spec.tool.name === 'tofu';

/**
 * Removes files that only the commands of a Run needed: the readable plan, and unencrypted files in memory, or on the
 * disk of a machine without such memory.
 */
export function removeLeftoverFiles(layout: Layout, spec: ExecutionSpec): void {
  const ofSlots = layout.slots.map(({ cli }) => cli);
  for (const folder of [path.dirname(layout.host.plan), ...shortFolders(spec.capsuleDir), ...ofSlots])
    removeTree(folder);
  if (isSealing(spec)) return;
  removeTree(layout.memory ?? layout.host.state);
}
