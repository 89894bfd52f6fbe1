import type {
  Diagnostic,
  GenerateRequest,
  LogLevel,
  PlannedResource,
  PlanSummary,
  ResourceEvent,
  ToolIdentity,
} from '#server/drivers/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { Allowances } from '../../os/allowances.ts';
import type { ProcessIdentity } from '../../os/process-identity.ts';
import type { Isolation } from '../../os/slirp.ts';
import type { RunCredentials } from './credentials.ts';

export type { Diagnostic, PlanSummary, ResourceEvent, ToolIdentity } from '#server/drivers/tofu/index';
export type { Allowances } from '../../os/allowances.ts';
export type { ProcessIdentity } from '../../os/process-identity.ts';
export type { Isolation } from '../../os/slirp.ts';

/** What a supervisor is told on its stdin, read to its end. Secrets stand here in clear, so a Job is never written to a disk. */
export type Job = {
  formatVersion: 1;
  /** `run` starts the operation; `adopt` takes over an apply whose supervisor died, whether its tool still lives or not. */
  mode: 'run' | 'adopt';
  operation: 'plan' | 'destroy_plan' | 'drift_check' | 'apply';
  runId: string;
  capsuleId: string;
  /** Private to this Run: journal, stream, status, plan file, state snapshots. Absolute. */
  runDir: string;
  /** Shared by the Runs of one Capsule, one at a time: `tree`, `data`, `state`. Absolute. */
  capsuleDir: string;
  /** Content-addressed tar of the SourceSnapshot. */
  archive: { path: string; digest: string };
  /** The selected module, relative to the root of the archive; `.` for the root. */
  modulePath: string;
  tool: ToolIdentity;
  /** A copy of the tool's program that can be run and not read: no other process of the sandbox can look into it. */
  toolCopy?: string;
  sandbox: 'bwrap' | 'none';
  /** How a command that needs a network gets one of its own; absent: it shares that of the host. */
  isolation?: Isolation;
  providers: { storeDir: string; mirrorDir?: string };
  /** What decides the files that are generated beside the module's own. */
  configuration?: Pick<GenerateRequest, 'view'>;
  /** Of the bindings of this Run. Environment names that steer the tool or the loader are dropped. */
  credentials?: RunCredentials;
  /** Whole states of other Capsules, in clear, for plan and apply. The variable gets the path of a file that is read-only. */
  producerStates?: readonly { variable: string; capsuleId: string; text: string }[];
  /** Every root variable with a value, secret ones included. */
  variables: { readonly [name: string]: Json };
  /** Names among `variables` that the module declares ephemeral: they are given again at apply. */
  ephemeralVariables: readonly string[];
  /** Texts that never appear in anything that is persisted; those of `credentials` are added to them. */
  secrets: readonly string[];
  /** Keys of the Capsule, base64 of 32 bytes; `decryptionKey` is the one the state or plan at hand was sealed with. */
  sealing: {
    keyVersion: number;
    encryptionKey: string;
    decryptionKey: string;
    /** Opens a state that an earlier Run left in the Capsule's folder under an older key; no command of the tool gets it. */
    formerKey?: string;
  };
  /** The current StateVersion in clear, or null before the first commit. */
  state: { text: string; digest: string } | null;
  /** The recorded `.terraform.lock.hcl`, or null before the first plan. */
  lock: string | null;
  /** What is built before a plan; an apply is given what was built for its own. */
  build?: SourceBuild;
  /**
   * For an apply: the Run folder of its plan, the digest of the sealed plan file, the addresses it may touch, the changes its
   * state must hold, and the digest of what was built for it.
   */
  plan: {
    runDir: string;
    digest: string;
    addresses: readonly string[];
    changes: readonly PlannedChange[];
    builtDigest?: string;
  } | null;
  /** Folders of the host, outside that of the Capsule, that plan and apply may write to. */
  writablePaths?: readonly string[];
  /** An allowance that is absent is the usual one. */
  limits: { initSeconds: number; planSeconds: number; logBytes: number } & Partial<Allowances>;
};

/** One change of a reviewed plan, with its addresses as they are persisted. */
export type PlannedChange = Pick<PlannedResource, 'address' | 'mode' | 'actions' | 'deposed' | 'previousAddress'>;

/** Commands that make files of the module in a copy of the snapshot, and which of them come into its tree. */
export type SourceBuild = {
  commands: readonly BuildCommand[];
  /** Relative to the root of the snapshot, canonical. */
  outputs: readonly string[];
  /** What each command may take. */
  commandSeconds: number;
  /** The operator lets builds run on a machine that has no sandbox. */
  withoutSandbox: boolean;
};
export type BuildCommand = { argv: readonly string[]; workingDirectory?: string | undefined };

export type Phase =
  | 'source'
  | 'build'
  | 'init'
  | 'validate'
  | 'plan'
  | 'policy'
  | 'apply'
  | 'commit'
  | 'lifecycle'
  | 'backup'
  | 'restore'
  | 'system';
/** A Job as a supervisor gets it: it counts only as long as its ticket lies in the folder of the Run. */
export type HandedJob = Job & { ticket: string };

/** One line of the journal. Everything in it is redacted. `at` is epoch milliseconds. */
export type JournalRecord =
  | { t: 'started'; at: number; formatVersion: 1; identity: ProcessIdentity }
  | { t: 'phase'; at: number; phase: Phase; state: 'started' | 'finished' | 'reused' }
  /** For an apply fsynced before the tool may start: without such a record nothing was dispatched. */
  | { t: 'spawned'; at: number; command: string; identity: ProcessIdentity }
  | {
      t: 'log';
      at: number;
      phase: Phase;
      stream: 'stdout' | 'stderr' | 'system';
      level: LogLevel;
      text: string;
    }
  | ({ t: 'diagnostic'; at: number } & Diagnostic)
  | ({ t: 'resource'; at: number } & ResourceEvent)
  /** A complete state was copied, sealed, to `file` in the Run folder. */
  | { t: 'state'; at: number; file: string; lineage: string; serial: number }
  /** Fsynced; always the last record. */
  | { t: 'outcome'; at: number; outcome: Outcome };

export type Outcome = PlanOutcome | ApplyOutcome | FailedOutcome;

export type PlanOutcome = {
  kind: 'plan';
  /** Sealed plan file `plan` in the Run folder: digest of its bytes, taken before anything else ran. */
  planFileDigest: string;
  summary: PlanSummary;
  /** True when some change deletes, replaces or forgets. */
  destructive: boolean;
  /** The lock file init left, and its digest. */
  lock: string;
  lockDigest: string;
  /** Providers ran while the plan was read, and could alter what is shown. */
  isShownByProviders?: true;
  /** Of the archive of what was built for this plan, in the Run folder. */
  builtDigest?: string;
  /** Of the state the plan was made against; lineage is empty when there was none. */
  stateLineage: string;
  stateSerial: number;
  /** `plan.json` in the Run folder: the redacted projection (see tofu/plan-projection). */
  projectionFile: string;
  /** Addresses the plan touches. */
  addresses: readonly string[];
};

export type ApplyOutcome = {
  kind: 'apply';
  succeeded: boolean;
  errorCode?: 'apply_failed' | 'apply_interrupted' | 'state_save_failed';
  /** The apply changed something that its plan does not name. */
  deviated?: true;
  /** A sentence for a person: what happened and what to do. */
  message?: string;
  /** False only when it is certain that no provider was asked to change anything. */
  providerDispatched: boolean;
  /** Sealed with `encryptionKey` in the Run folder; absent when no complete state could be read. The digest is of the clear text. */
  state?: { file: string; lineage: string; serial: number; digest: string };
  /** Addresses that were started and never reported as completed, as the plan outcome names them; none after a success. */
  unfinished: readonly string[];
  /** One supervisor saw the whole stream, and the tool ended by itself: what was not told did not begin. */
  isContinuous?: boolean;
};

/** Ended before a plan existed or before an apply was dispatched. */
export type FailedOutcome = {
  kind: 'failed';
  errorCode:
    | 'init_failed'
    | 'source_build_failed'
    | 'plan_failed'
    | 'plan_seal_mismatch'
    | 'tool_unavailable'
    | 'tool_version_changed'
    | 'run_timed_out'
    | 'disk_full'
    | 'cancelled';
  message: string;
  phase: Phase;
};
