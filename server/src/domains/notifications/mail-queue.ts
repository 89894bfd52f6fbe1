import type { Mail, MailFailure, SendMail } from '#server/drivers/mail/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { newId } from '#server/kernel/ids';
import { faultFields, type Log } from '#server/kernel/log';
import { stopWork } from '#server/kernel/stop-work';
import type { WorkGate } from '#server/kernel/work-gate';
import { mailLimits } from '#shared/limits';
import type { MailRow, NotificationsStore } from './store.ts';

/** A mail with its text, and what to undo when it is not sent. */
export type WrittenMail = Omit<Mail, 'messageId'> & { undo?: () => void };

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  store: NotificationsStore;
  /** Absent when the operator configured no mail server. */
  send: SendMail | undefined;
  /** Returns the text of a mail, or undefined when it is not wanted any more. */
  write: (row: MailRow) => WrittenMail | undefined;
  /** Host name in the id of each mail. */
  findHost: () => string;
};

export type MailQueue = ReturnType<typeof createMailQueue>;

const minutes = 60_000;
/** Pauses after the first attempts; the last one repeats. */
const backOffMs = [1, 5, 15, 60, 180, 360].map((one) => one * minutes);
/** Pause before a new mail is written: the request that caused it is answered first. */
const answerMs = 50;

const giveUpAt = ({ kind, createdAt }: MailRow): number =>
  createdAt + (kind === 'password_reset' ? mailLimits.resetRetriedHours : mailLimits.retriedHours) * 60 * minutes;

/**
 * Sends the stored mails, one after the other and beside everything else. It has one timer, set to the next mail that
 * is due. A mail is deleted after the server has accepted it, so a crash between the two sends it again under its id.
 */
export function createMailQueue(deps: Deps) {
  const { db, clock, log, workGate, store, send } = deps;
  const attempt = createAttempt(deps);
  const stopping = new AbortController();
  let isStarted = false;

  /** Sends the due mails until none is left. */
  async function drain(deliver: SendMail): Promise<void> {
    for (let row = nextMail(); row && isStarted; row = nextMail()) await attempt(row, deliver, stopping.signal);
  }
  const nextMail = () => (isStarted && workGate.mayAct() ? store.findDueMail(clock.now()) : undefined);

  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext: () => (send ? store.findNextDue() : undefined),
    handlePast: () => (send ? drain(send) : undefined),
    failure: 'the mail queue could not be read or written',
  });

  /** Stores a mail in the caller's transaction; it is sent after the commit. */
  function push(
    mail: Pick<MailRow, 'kind'> & Partial<Pick<MailRow, 'accountId' | 'email' | 'runId' | 'workspaceId'>>,
  ): void {
    const now = clock.now();
    const stamps = { id: newId('mail'), createdAt: now, dueAt: now };
    store.insertMail({ accountId: null, email: null, runId: null, workspaceId: null, ...mail, ...stamps });
    db.afterCommit(() => {
      if (isStarted) deadline.arm(answerMs);
    });
  }

  return {
    isOn: send !== undefined,

    push,
    /**
     * Stores a request for a link, also for an unknown e-mail: the account is looked up when the mail is written, after
     * the request was answered, so the request does the same work for every e-mail.
     */
    pushReset: (email: string): void => {
      if (!store.hasResetOf(email)) push({ kind: 'password_reset', email });
    },
    start(): void {
      isStarted = true;
      deadline.start();
    },
    /** Ends the queue. A mail that is being sent has a moment to arrive; otherwise it is sent again at the next start. */
    async stop(): Promise<void> {
      isStarted = false;
      await stopWork(deadline.stop(), stopping);
    },
  };
}

/** Returns the function that writes and sends a mail, and keeps it for later when it was not sent. */
function createAttempt({ db, clock, log, store, write, findHost }: Omit<Deps, 'send'>) {
  /** Returns the text of a mail. One that cannot be written keeps no other mail from being sent. */
  function writeOrDelete(row: MailRow): WrittenMail | undefined {
    try {
      const written = db.write(() => write(row));
      if (!written) store.deleteMail(row.id);
      return written;
    } catch (error) {
      if (isLedgerFault(error)) throw error;
      log.error({ mailId: row.id, ...faultFields(error) }, 'the text of a mail could not be written');
      retryOrDelete(row, { reason: 'unwritten', isPermanent: false });
      return undefined;
    }
  }

  function retryOrDelete(row: MailRow, failure: { reason: MailFailure['reason'] | 'unwritten'; isPermanent: boolean }) {
    const dueAt = clock.now() + (backOffMs[Math.min(row.attempts, backOffMs.length - 1)] ?? 0);
    const isOver = failure.isPermanent || dueAt > giveUpAt(row);
    const fields = { mailId: row.id, reason: failure.reason, attempts: row.attempts + 1 };
    log.warn(fields, isOver ? 'a mail could not be sent and is given up' : 'a mail could not be sent yet');
    if (isOver) store.deleteMail(row.id);
    else store.retryMail(row.id, { dueAt, attempts: row.attempts + 1 });
  }

  return async function attempt(row: MailRow, deliver: SendMail, stop: AbortSignal): Promise<void> {
    const mail = db.write(() => writeOrDelete(row));
    if (!mail) return;
    const { undo, ...content } = mail;
    const failure = await deliver({ ...content, messageId: `<${row.id}@${findHost()}>` }, stop);
    db.write(() => {
      if (!failure) return store.deleteMail(row.id);
      undo?.();
      // A mail that the stop of the server ended did not fail: it is sent again under its id.
      if (!stop.aborted) retryOrDelete(row, failure);
    });
  };
}
