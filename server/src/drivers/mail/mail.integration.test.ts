import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/certificate.ts';
import { startMailServer, startSilentServer } from '../../../test/mail-server.ts';
import { createSendMail, type MailServer } from './index.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0)) await end();
});
async function start(options: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(options);
  cleanups.push(server.close);
  return server;
}

const mail = {
  to: 'ada@example.com',
  subject: 'Größe',
  text: 'Line one\n.\n日本語\n',
  messageId: '<mail_1@ground.example>',
};
const sendTo = (port: number, more: Partial<MailServer> = {}) =>
  createSendMail({
    ...{
      host: '127.0.0.1',
      port,
      startsWithTls: false,
      isLoopback: true,
      from: 'ground@example.com',
      attemptMs: 5_000,
    },
    ...more,
  })(mail);
const local = selfSigned('localhost');

describe('a mail', () => {
  it('arrives with its text, sender and id', async () => {
    const server = await start();
    expect(await sendTo(server.port)).toBeUndefined();
    expect(server.received).toMatchObject([{ to: ['ada@example.com'], messageId: '<mail_1@ground.example>' }]);
    expect(server.received[0]?.text).toMatch(/From: Ground Control <ground@example\.com>/);
    expect(server.received[0]?.text).toMatch(/Subject: Größe/);
    expect(server.received[0]?.text).toMatch(/Line one\r?\n\.\r?\n日本語/);
  });

  it('is sent by STARTTLS to another machine whose certificate is valid for its name', async () => {
    const server = await start({ tls: local, credentials: { user: 'ada', password: 'größe' } });
    const other = { host: 'localhost', isLoopback: false, ca: local.cert };
    expect(await sendTo(server.port, { ...other, credentials: { user: 'ada', password: 'größe' } })).toBeUndefined();
    expect(await sendTo(server.port, { ...other, credentials: { user: 'ada', password: 'wrong' } })).toEqual({
      reason: 'authentication',
      isPermanent: false,
    });
    expect(server.received).toHaveLength(1);
  });

  it('is not sent to another machine without TLS, or with a certificate that is not valid', async () => {
    const plain = await start();
    const unknown = await start({ tls: local });
    const otherName = selfSigned('other.example');
    const misnamed = await start({ tls: otherName });
    const other = { host: 'localhost', isLoopback: false };
    const failures = [
      await sendTo(plain.port, other),
      await sendTo(unknown.port, other),
      await sendTo(misnamed.port, { ...other, ca: otherName.cert }),
      await sendTo(plain.port, { ...other, startsWithTls: true }),
    ];
    expect(failures).toEqual(failures.map(() => ({ reason: 'tls', isPermanent: false })));
    expect([plain, unknown, misnamed].flatMap(({ received }) => received)).toEqual([]);
  });

  it('that the server refuses is given up only after a permanent refusal', async () => {
    const codes = [550, 451];
    const server = await start({ refuseWith: () => codes.shift() });
    expect(await sendTo(server.port)).toEqual({ reason: 'refused', isPermanent: true });
    expect(await sendTo(server.port)).toEqual({ reason: 'refused', isPermanent: false });
    expect(await sendTo(server.port)).toBeUndefined();
  });

  it('fails when no server is there, and at its deadline when the server hangs', async () => {
    const gone = await startMailServer();
    await gone.close();
    expect(await sendTo(gone.port)).toEqual({ reason: 'unreachable', isPermanent: false });
    const silent = await startSilentServer();
    cleanups.push(silent.close);
    expect(await sendTo(silent.port, { attemptMs: 100 })).toEqual({ reason: 'timeout', isPermanent: false });
  });
});
