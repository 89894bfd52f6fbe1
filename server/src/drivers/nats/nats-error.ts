/** Reasons of a failure between the server and its runner machines. */
export type NatsErrorReason =
  | 'answer_invalid'
  | 'authority_invalid'
  | 'box_refused'
  | 'closed'
  | 'denied'
  | 'enrolment_invalid'
  | 'envelope_refused'
  | 'file_forged'
  | 'file_missing'
  | 'file_too_large'
  | 'job_too_large'
  | 'name_invalid'
  | 'no_answer'
  | 'piece_invalid'
  | 'queue_missing'
  | 'replicas_unavailable'
  | 'revocation_failed'
  | 'settings_invalid'
  | 'stream_full'
  | 'timeout'
  | 'tls_refused'
  | 'unreachable';

const messages: Readonly<Record<NatsErrorReason, string>> = {
  answer_invalid:
    'The answer does not have the form of this version, or is not signed by the server. Update the older side.',
  authority_invalid: 'The keys of the NATS account are not valid. Restore them from a backup of the ledger.',
  box_refused: 'The sealed data was changed, or belongs to another Run or position.',
  closed: 'The connection to NATS was closed.',
  denied: 'NATS refused the credentials or the permission. Check that the runner was not revoked.',
  enrolment_invalid: 'The enrolment is not valid. Create another one.',
  envelope_refused: 'The Job was not sealed by this server for this runner, or was changed.',
  file_forged: 'A part of the file was changed on its way.',
  file_missing: 'A part of the file is not in NATS. Send the file again.',
  file_too_large: 'The file is larger than its limit.',
  job_too_large: 'The Job is larger than a message may be. Send its large members as files.',
  name_invalid: 'An id does not have the form that NATS permissions rely on.',
  no_answer: 'The server does not answer. Check that it runs and is connected to NATS.',
  piece_invalid: 'A piece of a journal does not have the form of this version.',
  queue_missing:
    'NATS does not have this pool or stream. The server creates it when it connects, unless the pool was removed.',
  replicas_unavailable:
    'NATS has fewer members than GROUNDCTL_NATS_REPLICAS asks for. Start the missing members, or set it to a smaller number; it is 3 from three addresses in GROUNDCTL_NATS_URL on.',
  revocation_failed: 'NATS did not accept the revocation. Check that its configuration belongs to this installation.',
  settings_invalid:
    'The settings of NATS are not valid. Use addresses such as tls://nats.example.com:4222 without credentials.',
  stream_full: 'The stream in NATS is full. It accepts messages again when older ones were read.',
  timeout: 'NATS did not answer in time. Check the network.',
  tls_refused: 'NATS does not offer TLS, or its certificate was refused. Check the address and the pinned authority.',
  unreachable: 'NATS cannot be reached. Check the address and the network.',
};

/** Reasons that concern the moment, so that a repetition can succeed. */
const transient: ReadonlySet<NatsErrorReason> = new Set([
  'no_answer',
  'queue_missing',
  'replicas_unavailable',
  'stream_full',
  'timeout',
  'unreachable',
]);

/** A failure of this driver. The message is a sentence for a person and contains no value, so it can be logged. */
export class NatsError extends Error {
  readonly reason: NatsErrorReason;

  constructor(reason: NatsErrorReason, options: { cause?: unknown } = {}) {
    super(messages[reason], options);
    this.name = 'NatsError';
    this.reason = reason;
  }

  get isTransient(): boolean {
    return transient.has(this.reason);
  }
}
