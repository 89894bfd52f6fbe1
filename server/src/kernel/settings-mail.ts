import { Email } from '#shared/kernel/scalars';
import { isLoopbackHost } from './settings-ingress.ts';
import { type Environment, findSetting, pathOf, SettingError } from './settings-read.ts';

/** Settings of the mail server. */
export type MailSettings = {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise by STARTTLS, and plain text only to a server on this machine. */
  startsWithTls: boolean;
  isLoopback: boolean;
  user: string | undefined;
  passwordFile: string | undefined;
  /** E-mail of the sender. */
  from: string;
};

const urlMessage =
  'GROUNDCTL_SMTP_URL must be smtps://USER@HOST or smtp://USER@HOST, with a port where it is not 465 or 587, and without a password.';

/** Reads the settings of mail; undefined when the operator configured none. Throws `SettingError`. */
export function readMail(env: Environment): MailSettings | undefined {
  const text = findSetting(env, 'GROUNDCTL_SMTP_URL');
  const passwordFile = pathOf(env, 'GROUNDCTL_SMTP_PASSWORD_FILE');
  const from = findSetting(env, 'GROUNDCTL_SMTP_FROM');
  if (text === undefined) {
    if (passwordFile === undefined && from === undefined) return undefined;
    throw new SettingError('GROUNDCTL_SMTP_PASSWORD_FILE and GROUNDCTL_SMTP_FROM need GROUNDCTL_SMTP_URL.');
  }
  const { user, ...server } = serverOf(text);
  if ((user === undefined) !== (passwordFile === undefined))
    throw new SettingError(
      'GROUNDCTL_SMTP_PASSWORD_FILE and the user in GROUNDCTL_SMTP_URL belong together. Set both, or none of them.',
    );
  const sender = Email.safeParse(from);
  if (!sender.success)
    throw new SettingError('GROUNDCTL_SMTP_FROM must be the e-mail of the sender, such as ground@example.com.');
  return { ...server, user, passwordFile, from: sender.data };
}

function serverOf(text: string): Pick<MailSettings, 'host' | 'port' | 'startsWithTls' | 'isLoopback' | 'user'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.pathname === '' || url?.pathname === '/';
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || !isPlain || url.password || url.search || url.hash)
    throw new SettingError(urlMessage);
  const startsWithTls = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (startsWithTls ? 465 : 587) : Number(url.port),
    startsWithTls,
    isLoopback: isLoopbackHost(url.hostname),
    user: url.username === '' ? undefined : decoded(url.username),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingError(urlMessage);
  }
}
