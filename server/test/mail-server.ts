import net, { type AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string[]; text: string; messageId: string };
export type MailServer = {
  port: number;
  received: ReceivedMail[];
  /** Number of connections so far. */
  connections(): number;
  /** Resolves once this many mails were received. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  /** Certificate for STARTTLS; without one the server offers none. */
  tls?: { key: string; cert: string };
  credentials?: { user: string; password: string };
  /** Answers a recipient with this code instead of accepting it. */
  refuseWith?: () => number | undefined;
};

/** Starts a real mail server on loopback. */
export async function startMailServer({ tls, credentials, refuseWith }: Options = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const wakes = new Set<() => void>();
  let connectionCount = 0;
  const server = new SMTPServer({
    ...(tls ? { ...tls } : { disabledCommands: ['STARTTLS', ...(credentials ? [] : ['AUTH'])] }),
    authOptional: credentials === undefined,
    allowInsecureAuth: true,
    onConnect(_session, done) {
      connectionCount += 1;
      done();
    },
    onAuth({ username, password }, _session, done) {
      const isRight = username === credentials?.user && password === credentials?.password;
      if (isRight) done(null, { user: username ?? '' });
      else done(new Error('wrong password'));
    },
    onRcptTo(_address, _session, done) {
      const code = refuseWith?.();
      if (code === undefined) done();
      else done(Object.assign(new Error('refused'), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: readable(raw),
          messageId: /^message-id: *(.+)$/im.exec(raw)?.[1]?.trim() ?? '',
        });
        done();
        for (const wake of wakes) wake();
      });
    },
  });
  server.on('error', () => {});
  const port = await new Promise<number>((resolve) => {
    const listener = server.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port));
  });
  return {
    port,
    received,
    connections: () => connectionCount,
    arrived: (count) =>
      new Promise((resolve) => {
        const wake = () => {
          if (received.length < count) return;
          wakes.delete(wake);
          resolve();
        };
        wakes.add(wake);
        wake();
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes quoted-printable and base64 parts and encoded words, so that a test finds every text. */
function readable(raw: string): string {
  const decoded = raw.replace(/=\?utf-8\?([bq])\?([^?]*)\?=\s*/gi, (_all, kind: string, text: string) =>
    kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : unquoted(text.replaceAll('_', ' ')),
  );
  const [head = '', ...rest] = decoded.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/content-transfer-encoding: base64/i.test(head)) return `${head}\n\n${Buffer.from(body, 'base64').toString()}`;
  return `${head}\n\n${/quoted-printable/i.test(head) ? unquoted(body) : body}`;
}

function unquoted(text: string): string {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Starts a server that accepts connections and never says anything. */
export async function startSilentServer(): Promise<{ port: number; connected: Promise<void>; close(): void }> {
  const sockets = new Set<net.Socket>();
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    connect();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connected,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
