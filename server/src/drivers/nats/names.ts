import { type IdKind, isId } from '#shared/kernel/id';
import { NatsError } from './nats-error.ts';

/** Work that an offer is about. */
export const offerKinds = ['plan', 'apply', 'action'] as const;
export type OfferKind = (typeof offerKinds)[number];

/** Kinds of Runs that a runner machine may execute. */
const runKinds = ['plan', 'apply', 'backup', 'restore'] as const satisfies readonly IdKind[];
const actionPosition = /^(?:0|[1-9][0-9]{0,3})$/;
const ticketPattern = /^[0-9a-f]{32}$/;

/** Reports whether a text is the id of a Run, or of an action of a Run: `<run>.<position>`. */
export function isJobId(text: string): boolean {
  const [run = '', position, ...rest] = text.split('.');
  const isPosition = position === undefined || actionPosition.test(position);
  return rest.length === 0 && isPosition && runKinds.some((kind) => isId(kind, run));
}

export const isTicket = (text: string): boolean => ticketPattern.test(text);

/** Returns the id. Throws `name_invalid` for a text of another form, such as one with a wildcard. */
export function requireId(kind: IdKind, text: string): string {
  if (isId(kind, text)) return text;
  throw new NatsError('name_invalid');
}

function requireJob(text: string): string {
  if (isJobId(text)) return text;
  throw new NatsError('name_invalid');
}

const runner = (id: string): string => requireId('runnerMachine', id);
const pool = (id: string): string => requireId('runnerPool', id);
const enrolment = (id: string): string => requireId('runnerEnrolment', id);
/** A point separates the tokens of a subject. */
const jobToken = (jobId: string): string => requireJob(jobId).replace('.', '-');

function requireHex(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  throw new NatsError('name_invalid');
}

/** Direction of a file, as the runner sees it. */
export type Direction = 'in' | 'out';
/** One part of a file, whose name is derived from its key and content. */
export type PartName = { runnerId: string; direction: Direction; file: string; part: number };

export const offerStream = 'GC_OFFERS';
export const journalStream = 'GC_JOURNAL';
/** Consumer of the journal stream: the ledger. */
export const ledgerConsumer = 'ledger';

/**
 * Subjects, streams and consumers. All are made of ids whose pattern is checked here, because a permission with a
 * wildcard in place of an id would match every runner. Each method throws `name_invalid`.
 */
export const names = {
  offer: (poolId: string, kind: OfferKind): string => `gc.offer.${pool(poolId)}.${kind}`,
  offersOf: (poolId: string): string => `gc.offer.${pool(poolId)}.*`,
  question: (runnerId: string, question: string): string => `gc.ask.${runner(runnerId)}.${question}`,
  /** Asks a runner for a beat now. */
  beatRequest: (runnerId: string): string => `_INBOX.${runner(runnerId)}.beat`,
  enrolment: (enrolmentId: string): string => `gc.enrol.${enrolment(enrolmentId)}`,
  journal: (runnerId: string, jobId: string): string => `gc.journal.${runner(runnerId)}.${jobToken(jobId)}`,
  /** Prefix of the inboxes of a runner or an enrolment. */
  inbox: (id: string): string => `_INBOX.${id.startsWith('enr_') ? enrolment(id) : runner(id)}`,
  /** Stream of the files that a runner reads (`in`) or writes (`out`). Its limits are those of this runner. */
  fileStream: (runnerId: string, direction: Direction): string => `GC_${direction.toUpperCase()}_${runner(runnerId)}`,
  filesOf: (runnerId: string, direction: Direction): string => `gc.${direction}.${runner(runnerId)}.>`,
  partsOf: ({ runnerId, direction, file }: Omit<PartName, 'part'>): string =>
    `gc.${direction}.${runner(runnerId)}.${requireHex(file)}.*`,
  part: ({ runnerId, direction, file, part }: PartName): string =>
    `gc.${direction}.${runner(runnerId)}.${requireHex(file)}.${part}`,
  poolConsumer: (poolId: string): string => `pool-${pool(poolId)}`,
};

/** Stream and subject that name the server of the current term. */
export const termStream = 'GC_TERM';
export const termSubject = 'gc.term';
export const allOffers = 'gc.offer.>';
export const allJournals = 'gc.journal.>';
export const allQuestions = 'gc.ask.*.*';
export const allEnrolments = 'gc.enrol.*';
export const allBeatRequests = '_INBOX.*.beat';

/** Returns the ids in the subject of a journal piece. Throws `name_invalid`. */
export function parseJournalSubject(subject: string): { runnerId: string; jobId: string } {
  const [, , runnerId = '', token = '', ...rest] = subject.split('.');
  const jobId = token.replace('-', '.');
  if (rest.length > 0) throw new NatsError('name_invalid');
  return { runnerId: runner(runnerId), jobId: requireJob(jobId) };
}

/** Returns the ids in the subject of a question. Throws `name_invalid`. */
export function parseQuestionSubject(subject: string): { runnerId: string; question: string } {
  const [, , runnerId = '', question = '', ...rest] = subject.split('.');
  if (rest.length > 0) throw new NatsError('name_invalid');
  return { runnerId: runner(runnerId), question };
}

/** Returns the id in the subject of an enrolment. Throws `name_invalid`. */
export const parseEnrolmentSubject = (subject: string): string => enrolment(subject.split('.').slice(2).join('.'));
