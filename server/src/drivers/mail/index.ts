import { connect, isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';

export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS is required. */
  startsWithTls: boolean;
  /** A server on this machine: plain text is accepted, and its certificate is not verified. */
  isLoopback: boolean;
  /** E-mail of the sender. */
  from: string;
  credentials?: { user: string; password: string };
  /** PEM text of more certificate authorities. */
  ca?: string;
  attemptMs: number;
};
export type Mail = { to: string; subject: string; text: string; messageId: string };

/** Reason of a failed attempt. The answer of the server is not part of it. */
export type MailFailure = {
  reason: 'unreachable' | 'timeout' | 'tls' | 'authentication' | 'refused';
  /** The server will not accept this mail later either. */
  isPermanent: boolean;
};
/** Sends one mail until the signal ends the attempt. Resolves with the failure, or with undefined when the server has accepted it. */
export type SendMail = (mail: Mail, signal?: AbortSignal) => Promise<MailFailure | undefined>;

class Deadline extends Error {}

/** Creates the sender of mail. Each mail has its own connection, which ends at the deadline whatever the server does. */
export const createSendMail =
  (server: MailServer): SendMail =>
  async ({ to, ...mail }, signal) => {
    const { createTransport } = await import('nodemailer');
    let socket: Socket | undefined;
    const transport = createTransport({
      ...transportOptions(server),
      getSocket: (_options: unknown, done: (error: Error | null, options?: { connection: Socket }) => void) => {
        const connection = connect({ host: server.host, port: server.port });
        socket = connection;
        connection.once('error', done);
        connection.once('connect', () => {
          connection.off('error', done);
          done(null, { connection });
        });
      },
    });
    const deadline = endOf(AbortSignal.any([AbortSignal.timeout(server.attemptMs), ...(signal ? [signal] : [])]));
    const sent = transport.sendMail({
      ...mail,
      from: { name: 'Ground Control', address: server.from },
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await Promise.race([sent, deadline]);
      return undefined;
    } catch (error) {
      return failureOf(error);
    } finally {
      sent.catch(() => {});
      socket?.destroy();
    }
  };

/** Rejects at the end of a signal. */
const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new Deadline());
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });

const transportOptions = ({ host, port, startsWithTls, isLoopback, credentials, ca, attemptMs }: MailServer) => ({
  host,
  port,
  secure: startsWithTls,
  requireTLS: !startsWithTls && !isLoopback,
  ignoreTLS: !startsWithTls && isLoopback,
  greetingTimeout: attemptMs,
  socketTimeout: attemptMs,
  tls: {
    minVersion: 'TLSv1.2' as const,
    rejectUnauthorized: !isLoopback,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  },
  ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
});

/** Error of the library; `originalCode` is that of the socket. */
type SmtpError = { code?: string; originalCode?: string; responseCode?: number };

function failureOf(error: unknown): MailFailure {
  if (error instanceof Deadline) return { reason: 'timeout', isPermanent: false };
  const { code = '', originalCode = '', responseCode = 0 } = error as SmtpError;
  const isPermanent = responseCode >= 500 && responseCode < 600 && code !== 'EAUTH';
  if (code === 'EAUTH' || code === 'ENOAUTH') return { reason: 'authentication', isPermanent: false };
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return { reason: 'refused', isPermanent };
  if (code === 'ETLS' || /CERT|SSL|TLS/.test(originalCode)) return { reason: 'tls', isPermanent: false };
  if (code === 'ETIMEDOUT') return { reason: 'timeout', isPermanent: false };
  return { reason: 'unreachable', isPermanent: false };
}
