import { z } from 'zod';
import { reportedActions } from '#shared/plans/change';
import { PlanSummary } from '#shared/plans/summary';
import { phases } from '#shared/runs/feed';
import { isStateCopy, planDocumentFile } from './run-file-names.ts';

/*
 * The records of a journal. A supervisor and the server of its machine use only the types, and start without zod. The
 * server parses what another machine wrote: its supervisor keeps these bounds, and a manipulated one must not exceed them.
 * Members that this version does not know are dropped, because a machine may be updated while an apply runs.
 */

/** A line is cut at 16 KiB, and an escape of a control character has four characters. */
const text = z.string().max(65_536);
/** An address, file name or variable name, redacted and escaped. */
const nameMaxLength = 65_536;
const name = z.string().max(nameMaxLength);
const detail = z.string().max(262_144);
/** Message for a person. It may contain a message of the tool. */
const message = z.string().max(1_048_576);
const lock = z.string().max(4_194_304);
const lineage = z.string().max(4_096);
const serial = z.int().min(0);
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const short = z.string().max(200);
/** Epoch milliseconds, before the year 10000. */
const at = z.int().min(0).max(253_402_300_799_999);
const phase = z.enum(phases);
const stateFile = z.string().max(200).refine(isStateCopy);

const addressesMax = 1_000_000;
/** One test for the whole list: a list of issues would be larger than the list. */
const addresses = z.custom<readonly string[]>(
  (value) =>
    Array.isArray(value) &&
    value.length <= addressesMax &&
    value.every((address) => typeof address === 'string' && address.length <= nameMaxLength),
);

const identity = z.object({ pid: z.int().min(1), startTime: short, bootId: short });
const position = z.object({ line: z.int(), column: z.int() });

const planOutcome = z.object({
  kind: z.literal('plan'),
  /** Digest of the bytes of the sealed plan file `plan` in the Run folder, taken before anything else ran. */
  planFileDigest: digest,
  summary: z.object(PlanSummary.shape),
  /** True when a change deletes, replaces or forgets a resource. */
  destructive: z.boolean(),
  /** The lock file after init, and its digest. */
  lock,
  lockDigest: digest,
  /** True when providers ran while the plan was shown, so they could alter the output. */
  isShownByProviders: z.literal(true).exactOptional(),
  /** Digest of the archive of this plan's build, in the Run folder. */
  builtDigest: digest.exactOptional(),
  /** Base state of the plan; the lineage is empty when there was none. */
  stateLineage: lineage,
  stateSerial: serial,
  /** Name of the redacted projection in the Run folder (see tofu/plan-projection). */
  projectionFile: z.literal(planDocumentFile),
  /** Addresses the plan touches. */
  addresses,
});
export type PlanOutcome = z.infer<typeof planOutcome>;

const applyOutcome = z.object({
  kind: z.literal('apply'),
  succeeded: z.boolean(),
  errorCode: z.enum(['apply_failed', 'apply_interrupted', 'state_save_failed']).exactOptional(),
  /** True when the apply changed something outside its plan. */
  deviated: z.literal(true).exactOptional(),
  /** Message for a person: what happened and what to do. */
  message: message.exactOptional(),
  /** False only when it is certain that no provider was asked to change anything. */
  providerDispatched: z.boolean(),
  /**
   * State sealed with `encryptionKey` in the Run folder; absent when no complete state could be read. The digest is
   * that of the plain text.
   */
  state: z.object({ file: stateFile, lineage, serial, digest }).exactOptional(),
  /** Addresses that were started and never reported as completed, as named in the plan outcome; empty after a success. */
  unfinished: addresses,
  /** True when one supervisor read the whole stream and the tool exited normally. Then an unreported change did not start. */
  isContinuous: z.boolean().exactOptional(),
});
export type ApplyOutcome = z.infer<typeof applyOutcome>;

/** End of a lifecycle action. Whether its command was started is in the journal. */
const actionOutcome = z.object({
  kind: z.literal('action'),
  succeeded: z.boolean(),
  /** Message for a person; absent after a success. */
  message: message.exactOptional(),
  exitCode: z.int().exactOptional(),
});
export type ActionOutcome = z.infer<typeof actionOutcome>;

/** Failed before a plan existed or before an apply was dispatched. */
const failedOutcome = z.object({
  kind: z.literal('failed'),
  errorCode: z.enum([
    'init_failed',
    'source_build_failed',
    'plan_failed',
    'plan_seal_mismatch',
    'tool_unavailable',
    'tool_version_changed',
    'run_timed_out',
    'disk_full',
    'cancelled',
  ]),
  message,
  phase,
});
export type FailedOutcome = z.infer<typeof failedOutcome>;

const outcome = z.discriminatedUnion('kind', [planOutcome, applyOutcome, actionOutcome, failedOutcome]);
export type Outcome = z.infer<typeof outcome>;

/** One redacted line of the journal. `at` is epoch milliseconds. */
const journalRecord = z.discriminatedUnion('t', [
  z.object({ t: z.literal('started'), at, formatVersion: z.literal(1), identity }),
  z.object({ t: z.literal('phase'), at, phase, state: z.enum(['started', 'finished', 'reused']) }),
  /** For an apply or an action, fsynced before it may start: without this record nothing was dispatched. */
  z.object({ t: z.literal('spawned'), at, command: short, identity }),
  z.object({
    t: z.literal('log'),
    at,
    phase,
    stream: z.enum(['stdout', 'stderr', 'system']),
    level: z.enum(['trace', 'debug', 'info', 'warn', 'error']),
    text,
  }),
  z.object({
    t: z.literal('diagnostic'),
    at,
    severity: z.enum(['info', 'warning', 'error']),
    code: short.exactOptional(),
    message: text,
    detail: detail.exactOptional(),
    address: name.exactOptional(),
    range: z.object({ filename: name, start: position, end: position }).exactOptional(),
    variable: name.exactOptional(),
  }),
  z.object({
    t: z.literal('resource'),
    at,
    address: name,
    action: z.enum(reportedActions),
    state: z.enum(['started', 'progress', 'completed', 'errored']),
    elapsedMs: z.int().min(0).exactOptional(),
  }),
  /** A complete state was copied, sealed, to `file` in the Run folder. */
  z.object({ t: z.literal('state'), at, file: stateFile, lineage, serial }),
  /** Fsynced; always the last record. */
  z.object({ t: z.literal('outcome'), at, outcome }),
]);
export type JournalRecord = z.infer<typeof journalRecord>;

/** Parses a record that another machine wrote. Undefined for anything that its supervisor does not write. */
export const parseJournalRecord = (value: unknown): JournalRecord | undefined => journalRecord.safeParse(value).data;
