import type { EncryptionNames } from '#server/drivers/tofu/index';
import type { JsonObject } from '#shared/kernel/json';
import type { Command } from '../os/environment.ts';
import type { ActionSpec, ExecutionSpec } from '../runner/contract/execution-spec.ts';
import type { Layout, Slot } from '../runner/contract/layout.ts';
import type { RunNetwork } from './network/connect.ts';
import type { Reporter } from './reporting/reporter.ts';

/** One command of the tool in a Run. */
export type ToolCommand = {
  name: Command;
  /** Arguments without the path of the tool. */
  argv: readonly string[];
  writable: { state: boolean; data: boolean };
  network: boolean;
  /** Content of the variables file; undefined when the command reads none. */
  variables: JsonObject | undefined;
  /** True for commands that read the sealed plan file. */
  hasPlan: boolean;
  /** True for an apply, which continues without its supervisor. */
  outlives: boolean;
  cliConfig: string;
  bounds?: Bounds;
  /** True when it is started before its turn, in a sandbox, and gets its CLI configuration in its turn. */
  isPrewarmed?: boolean;
  /** Value of `TF_REATTACH_PROVIDERS`: addresses of the substitute providers. */
  reattach?: string;
  /** Folders of a command that does not use the tool's folders: of a build, a lifecycle action, or a provider alone. */
  build?: BuildFolders;
};

/** Output of a command: its slot, and our ends of its standard output and standard error. */
export type OpenSlot = { slot: Slot; outputs: readonly [number, number] };

/** Folders of a build on the host; `workDir` is relative to its tree. */
export type BuildFolders = {
  tree: string;
  home: string;
  tmp: string;
  workDir: string;
  isReadOnly?: boolean;
  /** Set for a lifecycle action: it has variables, a network, perhaps credentials, and time to end after a signal. */
  action?: Pick<ActionSpec, 'env' | 'hostEnv'>;
};

/** Limits of a command, and the marks by which its processes are found. */
export type Bounds = {
  /** Limits of a single process (setrlimit(2)), without those that a control group enforces for all of them. */
  processes?: number;
  dataBytes?: number;
  /** Files by which the first process of the command moves itself into its control group. */
  entries?: readonly string[];
  /** Random environment value that identifies leftover processes of a tool without a sandbox. */
  mark?: string;
};

/** Archive of files that are added to the tree of the module. */
export type Built = { path: string; digest: string };

export type LaunchContext = {
  spec: ExecutionSpec;
  layout: Layout;
  bwrap: string | undefined;
  names: EncryptionNames;
  /** Build of this plan or apply. */
  built?: Built;
  report: Pick<Reporter, 'say'>;
  /** Network of a Run with isolated networks, present before its first command. */
  network?: RunNetwork;
  /**
   * Background cleanups to await before this process exits, for example the network, which takes the kernel some 15 ms
   * to remove. None is a program of the module.
   */
  cleanups: Promise<void>[];
};
