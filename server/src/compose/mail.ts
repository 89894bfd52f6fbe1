import { mailLimits } from '#shared/limits';
import { createMailQueue, createMailWriter, createNotificationsStore } from '../domains/notifications/index.ts';
import { createSendMail, type SendMail } from '../drivers/mail/index.ts';
import type { WorkGate } from '../kernel/work-gate.ts';
import type { AppContext } from './app-context.ts';
import { readAuthorities, readSettingFile } from './setting-file.ts';

type Readers = Omit<Parameters<typeof createMailWriter>[0], 'store' | 'findOrigin'> & { workGate: WorkGate };

/** Builds the queue of mail; without a mail server it accepts nothing. */
export function buildMail({ settings, db, clock, log, bound }: AppContext, { workGate, ...readers }: Readers) {
  const store = createNotificationsStore(db);
  const findOrigin = () => bound.baseUrl;
  const findHost = () => new URL(bound.baseUrl).hostname;
  const send = sendMailOf(settings);
  const write = createMailWriter({ ...readers, store, findOrigin });
  const mails = createMailQueue({ db, clock, log, workGate, store, send, write, findHost });
  return { store, send, mails, findHost };
}

function sendMailOf(settings: AppContext['settings']): SendMail | undefined {
  const { mail } = settings;
  if (!mail) return undefined;
  const { user, passwordFile, ...server } = mail;
  const password =
    passwordFile === undefined ? undefined : readSettingFile(passwordFile, 'GROUNDCTL_SMTP_PASSWORD_FILE').trim();
  const ca = readAuthorities(settings);
  return createSendMail({
    ...server,
    attemptMs: mailLimits.attemptSeconds * 1_000,
    ...(user !== undefined && password !== undefined && { credentials: { user, password } }),
    ...(ca !== undefined && { ca }),
  });
}
