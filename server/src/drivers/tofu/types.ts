import type { Json } from '#shared/kernel/json';
import type { ReportedAction } from '#shared/plans/change';
import type { PlanSummary } from '#shared/plans/summary';

export type ToolName = 'tofu' | 'terraform';
export type ToolIdentity = { name: ToolName; version: string; path: string };

/** A file written into the tree beside the module's own files. */
export type GeneratedFile = { name: string; text: string };

export type Severity = 'info' | 'warning' | 'error';
/** Lines and columns count from one; `end` is exclusive. */
export type SourceRange = {
  filename: string;
  start: { line: number; column: number };
  end: { line: number; column: number };
};

export type Diagnostic = {
  severity: Severity;
  code?: string;
  message: string;
  detail?: string;
  address?: string;
  range?: SourceRange;
  /** The root variable the diagnostic is about. */
  variable?: string;
};

export type ResourceEvent = {
  address: string;
  action: ReportedAction;
  state: 'started' | 'progress' | 'completed' | 'errored';
  elapsedMs?: number;
};

/**
 * A change as the stream of a plan reports it; `action` is the stream's term, such as `replace`, `move` or `remove`.
 */
export type PlannedEvent = { address: string; action: string; previousAddress?: string; isImport: boolean };

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** One line of a `-json` stream. It is written by the tool and by anything the module runs: a hint, never a proof. */
export type StreamEvent =
  | { kind: 'version'; tool: ToolName; version: string; ui: string }
  | ({ kind: 'diagnostic' } & Diagnostic)
  | ({ kind: 'resource' } & ResourceEvent)
  /**
   * `piece` is the end of a text that a program of the module printed, possibly not a whole line; pieces of the same
   * `source` are consecutive.
   */
  | { kind: 'log'; level: LogLevel; text: string; piece?: { source: string; length: number } }
  | ({ kind: 'summary'; operation: 'plan' | 'apply' | 'destroy' } & PlanSummary)
  /** Actions of the root Outputs of a plan by name; empty for the values that an apply prints. */
  | { kind: 'outputs'; actions: ReadonlyMap<string, string> }
  | ({ kind: 'planned'; isDrift: boolean } & PlannedEvent)
  /** State that the tool could not save and printed instead; `state` is its text, sealed when the tool seals. */
  | { kind: 'stateDump'; state: string };

/**
 * Declarations of the merged root module, as the running tool sees it. They decide which files may be generated beside
 * it.
 */
export type RootView = {
  providers: readonly ProviderBlock[];
  /** Alias tuples of `configuration_aliases`: `{name: 'aws', alias: 'west'}` for `aws.west`. */
  configurationAliases: readonly { name: string; alias: string }[];
  /** `encryption { remote_state_data_sources }`: whether it has a `default`, and the labels of its `remote_state_data_source` blocks. */
  remoteState: { default: boolean; targets: readonly string[] };
};

export type ProviderBlock = {
  name: string;
  alias?: string;
  /** Names of the arguments and nested blocks that the module sets itself. */
  arguments: readonly string[];
  forEach: boolean;
};

/** Arguments for a provider block, by local name or `name.alias`; never secret material. */
export type ProviderConfig = { readonly [provider: string]: { readonly [argument: string]: Json } };
