import type { Mail, SendMail } from '#server/drivers/mail/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { newId } from '#server/kernel/ids';
import { faultFields, type Log } from '#server/kernel/log';
import { mailLimits } from '#shared/limits';
import type { MailRow, NotificationsStore } from './store.ts';

/** A mail with its text, and what to undo when it is not sent. */
export type WrittenMail = Omit<Mail, 'messageId'> & { undo?: () => void };

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
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
/** However far the clock was set, the queue looks again within the hour. */
const longestTimerMs = 60 * minutes;

const giveUpAt = ({ kind, createdAt }: MailRow): number =>
  createdAt + (kind === 'password_reset' ? mailLimits.resetRetriedHours : mailLimits.retriedHours) * 60 * minutes;

/**
 * Sends the stored mails, one after the other and beside everything else. It has one timer, set to the next mail that
 * is due. A mail is deleted after the server has accepted it, so a crash between the two sends it again under its id.
 */
export function createMailQueue({ db, clock, log, store, send, write, findHost }: Deps) {
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let sending: Promise<void> | undefined;

  /** Sends the due mails until none is left. */
  async function drain(deliver: SendMail): Promise<void> {
    for (let row = nextMail(); row && isStarted; row = nextMail()) await attempt(row, deliver);
  }
  const nextMail = () => (isStarted ? store.findDueMail(clock.now()) : undefined);

  async function attempt(row: MailRow, deliver: SendMail): Promise<void> {
    const mail = db.write(() => {
      const written = write(row);
      if (!written) store.deleteMail(row.id);
      return written;
    });
    if (!mail) return;
    const { undo, ...content } = mail;
    const failure = await deliver({ ...content, messageId: `<${row.id}@${findHost()}>` });
    db.write(() => {
      if (!failure) return store.deleteMail(row.id);
      undo?.();
      const dueAt = clock.now() + (backOffMs[Math.min(row.attempts, backOffMs.length - 1)] ?? 0);
      const isOver = failure.isPermanent || dueAt > giveUpAt(row);
      const fields = { mailId: row.id, reason: failure.reason, attempts: row.attempts + 1 };
      log.warn(fields, isOver ? 'a mail could not be sent and is given up' : 'a mail could not be sent yet');
      if (isOver) store.deleteMail(row.id);
      else store.retryMail(row.id, { dueAt, attempts: row.attempts + 1 });
    });
  }

  function work(): void {
    clearTimeout(timer);
    if (!isStarted || send === undefined || sending) return;
    sending = drain(send)
      .then(() => store.findNextDue())
      .catch((error: unknown) => {
        log.error(faultFields(error), 'the mail queue could not be read or written');
        return clock.now() + minutes;
      })
      .then((dueAt) => {
        sending = undefined;
        if (dueAt !== undefined) arm(dueAt - clock.now());
      });
  }

  function arm(delayMs: number): void {
    if (!isStarted) return;
    timer = setTimeout(work, Math.min(Math.max(delayMs, 0), longestTimerMs));
    timer.unref();
  }

  /** Stores a mail in the caller's transaction; it is sent after the commit. */
  function push(mail: Pick<MailRow, 'kind'> & Partial<Pick<MailRow, 'accountId' | 'email' | 'runId'>>): void {
    const now = clock.now();
    const stamps = { id: newId('mail'), createdAt: now, dueAt: now };
    store.insertMail({ accountId: null, email: null, runId: null, ...mail, ...stamps });
    db.afterCommit(work);
  }

  return {
    isOn: send !== undefined,

    push,
    /**
     * Stores a request for a link, also for an unknown e-mail: the account is looked up when the mail is written, so the
     * request does the same work for every e-mail.
     */
    pushReset: (email: string): void => {
      if (!store.hasResetOf(email)) push({ kind: 'password_reset', email });
    },
    start(): void {
      isStarted = true;
      work();
    },
    /** Ends the queue. A mail that is being sent has a moment to arrive; otherwise it is sent again at the next start. */
    async stop(): Promise<void> {
      isStarted = false;
      clearTimeout(timer);
      if (!sending) return;
      let pause: NodeJS.Timeout | undefined;
      await Promise.race([sending, new Promise((resolve) => (pause = setTimeout(resolve, 2_000)))]);
      clearTimeout(pause);
    },
  };
}
