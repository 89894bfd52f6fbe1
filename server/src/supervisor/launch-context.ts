import type { EncryptionNames } from '#server/drivers/tofu/index';
import type { JsonObject } from '#shared/kernel/json';
import type { Command } from '../os/environment.ts';
import type { Job } from '../runner/contract/job.ts';
import type { Layout, Slot } from '../runner/contract/layout.ts';
import type { RunNetwork } from './network/connect.ts';
import type { Reporter } from './reporting/reporter.ts';

/** One command of the tool, as a Run needs it. */
export type ToolCommand = {
  name: Command;
  /** Without the tool's own path. */
  argv: readonly string[];
  writable: { state: boolean; data: boolean };
  network: boolean;
  /** Content of the variables file; undefined when the command takes none. */
  variables: JsonObject | undefined;
  /** The sealed plan file is at hand for commands that read it. */
  hasPlan: boolean;
  /** An apply goes on without its supervisor. */
  outlives: boolean;
  cliConfig: string;
  bounds?: Bounds;
  /** It is started before its turn, in a sandbox, and gets its CLI configuration when that comes. */
  isPrewarmed?: boolean;
  /** Value of `TF_REATTACH_PROVIDERS`: who answers in the place of the providers. */
  reattach?: string;
  /** Where a command runs that has nothing to do with the tool's folders: of a build, or a provider alone. */
  build?: BuildFolders;
};

/** Where a command is heard: its slot, and our ends of what it writes to, its standard output and its standard error. */
export type OpenSlot = { slot: Slot; outputs: readonly [number, number] };

/** The folders of a build on the host; `workDir` is relative to its tree. */
export type BuildFolders = { tree: string; home: string; tmp: string; workDir: string; isReadOnly?: boolean };

/** What a command is started with so that it stays within its allowances and is found again. */
export type Bounds = {
  /** Limits of the process itself (setrlimit(2)); those that a control group sets for all of them are not here. */
  processes?: number;
  dataBytes?: number;
  /** Files by which the first process of the command moves itself into its control group. */
  entries?: readonly string[];
  /** Random, for the environment: by it a process that a tool without a sandbox has left is known. */
  mark?: string;
};

/** An archive of files that come into the tree of the module. */
export type Built = { path: string; digest: string };

export type LaunchContext = {
  job: Job;
  layout: Layout;
  bwrap: string | undefined;
  names: EncryptionNames;
  /** What was built for this plan or apply. */
  built?: Built;
  report: Pick<Reporter, 'say'>;
  /** Of a Run whose commands have a network of their own, from before its first one on. */
  network?: RunNetwork;
  /**
   * What still ends after its command and is no program of the module: the network takes the kernel some 15 ms to remove.
   * We end after it.
   */
  cleanups: Promise<void>[];
};
