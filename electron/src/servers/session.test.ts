import { EventEmitter } from 'node:events';
import type { Session } from 'electron';
import { beforeEach, expect, test, vi } from 'vitest';
import { guardServerSession, partitionOf } from './session.ts';

vi.mock('electron', () => ({ shell: {} }));

const origin = 'https://team.example';
const saved = { id: 'x', name: 'Team', origin, issuer: 'Example CA' };
const set = {
  setPermissionRequestHandler: vi.fn(),
  setPermissionCheckHandler: vi.fn(),
  setDevicePermissionHandler: vi.fn(),
  setDisplayMediaRequestHandler: vi.fn(),
  setSpellCheckerEnabled: vi.fn(),
  setCertificateVerifyProc: vi.fn(),
  webRequest: { onBeforeRequest: vi.fn() },
};
const events = {
  server: vi.fn((): typeof saved | undefined => saved),
  isSignIn: vi.fn((id: number | undefined) => id === 7),
  confirmIssuer: vi.fn(async () => false),
  saveIssuer: vi.fn(),
  onCertificateRefused: vi.fn(),
  onDownloadRefused: vi.fn(),
};
const session = Object.assign(new EventEmitter(), set);
beforeEach(() => {
  vi.clearAllMocks();
  session.removeAllListeners();
  guardServerSession(session as unknown as Session, origin, events);
});

test('each server has a partition of its own', () => {
  expect([partitionOf({ id: 'a' }), partitionOf({ id: 'b' })]).toEqual(['persist:server-a', 'persist:server-b']);
});

test('nothing is permitted to its pages, and nothing is stored', () => {
  const answer = vi.fn();
  const [request] = set.setPermissionRequestHandler.mock.calls[0] ?? [];
  const [check] = set.setPermissionCheckHandler.mock.calls[0] ?? [];
  for (const permission of ['clipboard-sanitized-write', 'notifications', 'media', 'fullscreen']) {
    request({}, permission, answer, { requestingUrl: `${origin}/` });
    expect(check({}, permission, origin)).toBe(false);
  }
  const [screen] = set.setDisplayMediaRequestHandler.mock.calls[0] ?? [];
  screen({}, answer);
  expect(answer.mock.calls).toEqual([[false], [false], [false], [false], [null]]);
  expect(set.setDevicePermissionHandler.mock.calls[0]?.[0]()).toBe(false);
  expect(set.setSpellCheckerEnabled).toHaveBeenCalledWith(false);
  const preventDefault = vi.fn();
  session.emit('will-download', { preventDefault }, { getFilename: () => `plan_${'0'.repeat(26)}.log` });
  expect([preventDefault.mock.calls.length, events.onDownloadRefused.mock.calls.length]).toEqual([1, 1]);
});

test('requests stay on its origin, but for the window of a sign-in provider', () => {
  const [listener] = set.webRequest.onBeforeRequest.mock.calls[0] ?? [];
  const isCancelled = (url: string, webContentsId?: number) => {
    const answer = vi.fn();
    listener({ url, resourceType: 'xhr', webContentsId }, answer);
    return answer.mock.calls[0]?.[0].cancel;
  };
  expect(isCancelled(`${origin}/api/v1/runs`)).toBe(false);
  expect(isCancelled('https://login.example/', 3)).toBe(true);
  expect(isCancelled('https://login.example/')).toBe(true);
  expect(isCancelled('https://login.example/', 7)).toBe(false);
  for (const local of ['http://127.0.0.1:4600/', 'https://localhost/', 'http://login.example/', 'file:///etc/passwd'])
    expect([local, isCancelled(local, 7)]).toEqual([local, true]);
});

const certificate = (organization: string) => ({
  issuer: { organizations: [organization], commonName: organization },
  issuerName: organization,
});
const trusted = { hostname: 'team.example', errorCode: 0, certificate: certificate('Example CA') };

/** Returns the result of the check of a certificate. */
const resultFor = (change: object): Promise<number> =>
  new Promise((resolve) => set.setCertificateVerifyProc.mock.calls[0]?.[0]({ ...trusted, ...change }, resolve));

test('a certificate that the system does not trust is refused without a question', async () => {
  expect(await resultFor({ errorCode: -202, certificate: certificate('Other CA') })).toBe(-2);
  expect(await resultFor({ errorCode: -201 })).toBe(-2);
  expect(events.onCertificateRefused).toHaveBeenCalledTimes(2);
  expect(events.confirmIssuer).not.toHaveBeenCalled();
});

test('a trusted certificate is accepted with the result of Chromium, and its authority is saved at first', async () => {
  expect(await resultFor({})).toBe(-3);
  expect(events.saveIssuer).not.toHaveBeenCalled();
  events.server.mockReturnValueOnce({ ...saved, issuer: undefined as never });
  expect(await resultFor({})).toBe(-3);
  expect(events.saveIssuer.mock.calls).toEqual([['Example CA']]);
});

test('another authority is refused unless the person agrees, and when the question fails', async () => {
  const other = { certificate: certificate('Proxy') };
  expect(await resultFor(other)).toBe(-2);
  expect(events.confirmIssuer.mock.calls).toEqual([['Example CA', 'Proxy']]);
  events.confirmIssuer.mockRejectedValueOnce(new Error('no display'));
  expect(await resultFor(other)).toBe(-2);
  expect(events.saveIssuer).not.toHaveBeenCalled();
  events.confirmIssuer.mockResolvedValueOnce(true);
  expect(await resultFor(other)).toBe(-3);
  expect(events.saveIssuer.mock.calls).toEqual([['Proxy']]);
});

test('a removed server is not connected to', async () => {
  events.server.mockReturnValueOnce(undefined);
  expect(await resultFor({})).toBe(-2);
});

test('the certificate of a sign-in provider is judged by the system alone', async () => {
  const provider = { hostname: 'login.example', certificate: certificate('Any CA') };
  expect([await resultFor(provider), await resultFor({ ...provider, errorCode: -202 })]).toEqual([-3, -2]);
});
