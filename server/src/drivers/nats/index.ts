/** Everything between the server and its runner machines that needs no ledger. Nothing here loads the NATS client. */
export type { Authority } from './authority.ts';
export { readAuthorityFile } from './authority-file.ts';
export { type Beat, type BeatAnswer, type BeatOrder, maxHeldRuns } from './beat.ts';
export type { Connection as NatsConnection, ConnectionState } from './connection.ts';
export { createConnectionLog } from './connection-log.ts';
export { type Envelope, maxJobBytes } from './envelope-schema.ts';
export { archiveKey, type FileReference, fileName, partBytes } from './file-parts.ts';
export { isJobId, isTicket, type OfferKind, offerKinds } from './names.ts';
export { NatsError, type NatsErrorReason } from './nats-error.ts';
export {
  maxLateFiles,
  maxPieceBytes,
  type Offer,
  type QuestionAnswer,
  type QuestionBody,
  type QuestionName,
  questions,
  type RunnerQuestion,
} from './protocol.ts';
export type { QuestionHandlers } from './questions.ts';
export { createRunKey, createTicket, openBox, sealBox } from './run-box.ts';

export type { TermStore } from './term-store.ts';

/** Loads the parts that need the NATS client. A server without the setting never calls it. */
export const loadNats = () => import('./driver.ts');
