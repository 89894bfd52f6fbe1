import type { GenerateRequest, ToolIdentity } from '#server/drivers/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { PlanResource } from '#shared/plans/document';
import type { Allowances } from '../../os/allowances.ts';
import type { Isolation } from '../../os/slirp.ts';
import type { RunCredentials } from './credentials.ts';

export type { Diagnostic, ResourceEvent, ToolIdentity } from '#server/drivers/tofu/index';
export type { Phase } from '#shared/runs/feed';
export type { Allowances } from '../../os/allowances.ts';
export type { ProcessIdentity } from '../../os/process-identity.ts';
export type { Isolation } from '../../os/slirp.ts';
export type {
  ActionOutcome,
  ApplyOutcome,
  FailedOutcome,
  JournalRecord,
  Outcome,
  PlanOutcome,
} from './journal-record.ts';

/** Input of a supervisor, read from stdin to its end. It contains secrets unencrypted, so a spec is never written to a disk. */
export type ExecutionSpec = {
  formatVersion: 1;
  /** `run` starts the operation; `adopt` takes over an apply whose supervisor died, whether or not its tool still runs. */
  mode: 'run' | 'adopt';
  operation: 'plan' | 'destroy_plan' | 'drift_check' | 'apply' | 'action';
  runId: string;
  capsuleId: string;
  /** Absolute folder private to this Run: journal, stream, status, plan file, state snapshots. */
  runDir: string;
  /** Absolute folder shared by the Runs of one Capsule, one at a time: `tree`, `data`, `state`. */
  capsuleDir: string;
  /** Content-addressed tar of the SourceSnapshot. */
  archive: { path: string; digest: string };
  /** The selected module, relative to the root of the archive; `.` for the root. */
  modulePath: string;
  tool: ToolIdentity;
  /** Execute-only copy of the tool's program, so that no other process of the sandbox can inspect its memory. */
  toolCopy?: string;
  sandbox: 'bwrap' | 'none';
  /** True on a machine without the ledger, which is asked before an apply or an action starts. */
  asksPermission?: true;
  /** Method to give each command that needs a network its own one; absent: it shares that of the host. */
  isolation?: Isolation;
  providers: { storeDir: string; mirrorDir?: string };
  /** True when the scan found no provider package. It is a hint: the tool decides whether a plan can do without init. */
  isWithoutPackages?: true;
  /** Input of the files that are generated beside the module's own. */
  configuration?: Pick<GenerateRequest, 'view'>;
  /** Credentials of the bindings of this Run. Environment names that control the tool or the loader are dropped. */
  credentials?: RunCredentials;
  /** Complete unencrypted states of other Capsules, for plan and apply. The variable gets the path of a read-only file. */
  producerStates?: readonly { variable: string; capsuleId: string; text: string }[];
  /** All root variables with a value, including secret ones. */
  variables: { readonly [name: string]: Json };
  /** Names among `variables` that the module declares ephemeral; they are passed again at apply. */
  ephemeralVariables: readonly string[];
  /** Texts that must never be persisted; those of `credentials` are added to them. */
  secrets: readonly string[];
  /** Keys of the Capsule, base64 of 32 bytes. `decryptionKey` is the key of the existing state or plan. */
  sealing: {
    keyVersion: number;
    encryptionKey: string;
    decryptionKey: string;
    /** Opens a state that an earlier Run left in the Capsule's folder under an older key; not passed to any command of the tool. */
    formerKey?: string;
  };
  /** The current StateVersion unencrypted, or null before the first commit. */
  state: { text: string; digest: string } | null;
  /**
   * Key of the digests that sensitive values of a plan get, so that two plans of the Capsule can be compared. Absent for
   * an apply.
   */
  comparisonKey?: string;
  /** The lifecycle action of an `action`, which runs without state, plan and providers. */
  action?: ActionSpec;
  /** The recorded `.terraform.lock.hcl`, or null before the first plan. */
  lock: string | null;
  /** Build that runs before a plan; an apply gets the outputs of its plan's build. */
  build?: SourceBuild;
  /**
   * For an apply: the Run folder of its plan, the digest of the sealed plan file, the addresses it may touch, the
   * changes its state must hold, and the digest of its build archive.
   */
  plan: {
    runDir: string;
    digest: string;
    addresses: readonly string[];
    changes: readonly PlannedChange[];
    builtDigest?: string;
  } | null;
  /** Host folders outside that of the Capsule which plan and apply may write to. */
  writablePaths?: readonly string[];
  /** An absent limit means the default. */
  limits: { initSeconds: number; planSeconds: number; logBytes: number } & Partial<Allowances>;
};

/** One change of a reviewed plan, with its addresses as persisted. */
export type PlannedChange = Pick<PlanResource, 'address' | 'mode' | 'actions' | 'deposed' | 'previousAddress'>;

/** One command after an apply or before a destroy, in a copy of the snapshot. */
export type ActionSpec = {
  id: string;
  command: readonly string[];
  /** Canonical, relative to the root of the snapshot. */
  workingDirectory: string;
  /** Variables of the action; not secret. */
  env: Readonly<Record<string, string>>;
  /** Variables that the host sets; no variable of the action replaces them. */
  hostEnv: Readonly<Record<string, string>>;
  seconds: number;
  /** Archive of the files that were built for the plan. */
  built?: { path: string; digest: string };
};

/** Commands that create files of the module in a copy of the snapshot, and the outputs that are copied to its tree. */
export type SourceBuild = {
  commands: readonly BuildCommand[];
  /** Canonical, relative to the root of the snapshot. */
  outputs: readonly string[];
  /** Time limit of each command, in seconds. */
  commandSeconds: number;
  /** True when the operator allows builds on a machine without a sandbox. */
  withoutSandbox: boolean;
};
export type BuildCommand = { argv: readonly string[]; workingDirectory?: string | undefined };

/** A spec as sent to a supervisor. It is valid only while its ticket is in the folder of the Run. */
export type HandedSpec = ExecutionSpec & { ticket: string };
