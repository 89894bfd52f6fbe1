import type { EncryptionNames } from '#server/tofu/index';
import type { JsonObject } from '#shared/kernel/json';
import type { Command } from '../environment.ts';
import type { Job } from '../job.ts';
import type { Layout } from './layout.ts';
import type { Reporter } from './reporter.ts';

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
};

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

export type LaunchContext = {
  job: Job;
  layout: Layout;
  bwrap: string | undefined;
  names: EncryptionNames;
  report: Pick<Reporter, 'say'>;
  /** What still ends after its command; awaited before the outcome, so that nothing outlives the Run. */
  endings: Promise<void>[];
};
