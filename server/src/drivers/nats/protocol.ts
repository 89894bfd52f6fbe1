import { z } from 'zod';
import { id } from '#shared/kernel/id';
import { MachineFacts, MachineKeys } from '#shared/runner-pools/contract';
import { beat, beatAnswer, beatOrder, jobId, offset, ticket } from './beat.ts';
import { envelopeSchema } from './envelope-schema.ts';
import { names } from './names.ts';
import { maxMessageBytes } from './role.ts';

const smallBytes = 4_096;
/** Below the limit of a message, with its headers and signature. */
const envelopeBytes = maxMessageBytes - smallBytes;

const refused = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z.strictObject({ refused: z.enum(codes) });
const jwt = z.string().max(smallBytes);
const ofJob = z.strictObject({ jobId, ticket });

/** Most files of an apply that a runner offers after its end. */
export const maxLateFiles = 6;
const lateFile = {
  name: z.string().max(200),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  sizeBytes: z.int().min(0),
};

type Definition = { body: z.ZodType; answer: z.ZodType; maxBodyBytes: number; maxAnswerBytes: number };

/**
 * Every question that a runner sends to the server, and its answers. A question of a runner is published under
 * `gc.ask.<runner>.<question>`, an enrolment under `gc.enrol.<enrolment>`; NATS lets no one else publish there.
 */
export const questions = {
  /** Asks for the Run of an offer. `not_waiting`: another runner has it, it was cancelled or its Capsule is busy. */
  claim: {
    body: z.strictObject({ runId: jobId, attempt: z.int().min(0).max(1_000_000) }),
    answer: z.union([
      ofJob,
      refused(['not_waiting', 'runner_outdated', 'server_outdated', 'tool_differs', 'sandbox_missing']),
    ]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: smallBytes,
  },
  /**
   * Asks for a claimed Job, also after a restart of the runner. `pending`: the server prepares it; the runner asks again.
   * `not_held`: the Run ended or was given to another runner.
   */
  resume: {
    body: ofJob,
    answer: z.union([
      z.strictObject({ envelope: envelopeSchema, offset }),
      z.strictObject({ pending: z.literal(true) }),
      refused(['not_held']),
    ]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: envelopeBytes,
  },
  /** Asks before `apply` is started. The answer is a box of the Run key; after it no one else gets the Run. */
  permit: {
    body: ofJob.extend({ order: beatOrder.optional() }),
    answer: z.union([z.strictObject({ permit: z.base64().max(256) }), refused(['not_held', 'cancelled'])]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: smallBytes,
  },
  /**
   * Offers the states of an apply that was ended without its runner. Without files: asks for the key of the Run, which seals
   * them. `pending`: the server fetches them; the runner asks again. `stored`: the server has what it wants, so the runner may
   * delete its copies.
   */
  lateState: {
    body: ofJob.extend({ files: z.array(z.strictObject(lateFile)).min(1).max(maxLateFiles).optional() }),
    answer: z.union([
      z.strictObject({ envelope: envelopeSchema }),
      z.strictObject({ pending: z.literal(true) }),
      z.strictObject({ stored: z.literal(true) }),
      refused(['not_wanted']),
    ]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: 8_192,
  },
  /** Reports the runner and its Runs, which renews their leases. */
  beat: { body: beat, answer: beatAnswer, maxBodyBytes: 65_536, maxAnswerBytes: 131_072 },
  /** Asks for a JWT that expires later. */
  renew: {
    body: z.strictObject({}),
    answer: z.union([z.strictObject({ jwt }), refused(['runner_revoked'])]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: 8_192,
  },
  /** Joins a pool. */
  enrol: {
    body: z.strictObject({
      keys: MachineKeys,
      /** From `enrolmentProof`. */
      proof: z.string().regex(/^[0-9a-f]{64}$/),
      name: MachineFacts.shape.name,
      productVersion: MachineFacts.shape.productVersion,
    }),
    answer: z.union([
      z.strictObject({ runnerId: id('runnerMachine'), poolId: id('runnerPool'), jwt }),
      refused(['enrolment_closed', 'proof_refused']),
    ]),
    maxBodyBytes: smallBytes,
    maxAnswerBytes: 8_192,
  },
} as const satisfies Record<string, Definition>;

export type QuestionName = keyof typeof questions;
/** Questions of a runner that has joined. */
export type RunnerQuestion = Exclude<QuestionName, 'enrol'>;
export type QuestionBody<Name extends QuestionName> = z.infer<(typeof questions)[Name]['body']>;
export type QuestionAnswer<Name extends QuestionName> = z.infer<(typeof questions)[Name]['answer']>;

export const isRunnerQuestion = (name: string): name is RunnerQuestion =>
  Object.hasOwn(questions, name) && name !== 'enrol';

/** Returns the subject of a question. `senderId`: the runner, or for `enrol` the enrolment. */
export const subjectOf = (name: QuestionName, senderId: string): string =>
  name === 'enrol' ? names.enrolment(senderId) : names.question(senderId, name);

const nonce = z.string().regex(/^[0-9a-f]{32}$/);
/** A question on its way. The answer repeats the nonce under its signature, so an old answer is refused. */
export const questionFrame = z.strictObject({ version: z.literal(1), nonce, body: z.unknown() });
/** An answer on its way: JSON text, and the server's Ed25519 signature over question, sender, nonce and text. */
export const answerFrame = z.strictObject({ body: z.string(), signature: z.base64().max(88) });

/** An offer says that a Run waits; the claim decides who gets it. */
export const offerSchema = z.strictObject({ runId: jobId, attempt: z.int().min(0).max(1_000_000) });
export type Offer = z.infer<typeof offerSchema>;

/** Largest piece of a journal in bytes: whole lines, before sealing. */
export const maxPieceBytes = 524_288;
/** Headers of a journal piece. Its content is a box of the Run key. */
export const pieceHeaders = { ticket: 'Groundctl-Ticket', offset: 'Groundctl-Offset' } as const;
export const pieceHead = z.strictObject({
  ticket,
  offset: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,15})$/)
    .transform(Number)
    .pipe(offset),
});
