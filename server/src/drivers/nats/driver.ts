export {
  type Authority,
  type AuthorityRecord,
  createAuthorityRecord,
  type NatsUser,
  openAuthority,
  type Revocations,
} from './authority.ts';
export { listenForBeatRequests, requestBeat } from './beat-requests.ts';
export { type NatsConfigurationInput, natsConfiguration } from './configuration.ts';
export {
  type Connection,
  type ConnectionSettings,
  type ConnectionState,
  connectOnce,
  openConnection,
} from './connection.ts';
export { enrolmentProof, isEnrolmentProof } from './enrolment-proof.ts';
export { type EnrolmentContent, readEnrolment, writeEnrolment } from './enrolment-text.ts';
export { createSealKey, openJob, type SealKey, sealJob } from './envelope.ts';
export { followJournals, type JournalPiece, publishPiece } from './journal-pieces.ts';
export { openOffers, publishOffer, type TakenOffer } from './offers.ts';
export { openPartStore, type PartStore } from './part-store.ts';
export { answerQuestions, type QuestionHandlers, type Sender, sendQuestion } from './questions.ts';
export { publishRevocations, revokeServers } from './revocation.ts';
export type { StreamOptions } from './stream-settings.ts';
export { createStreamManager, type StreamManager } from './streams.ts';
export { createTermStore, type TermStore } from './term-store.ts';
export { fetchBytes, fetchFile, sendBytes, sendFile } from './transfer.ts';
export { createUserKey, inboxOf } from './user-key.ts';
