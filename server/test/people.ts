import fs from 'node:fs';
import path from 'node:path';
import type { TestServer } from './harness.ts';

export const goodPassword = 'correct horse battery';
export const otherPassword = 'staple correct horse';

/** Gives the owner of a fresh server an e-mail and a password. */
export async function setUpOwner(server: TestServer, email = 'owner@example.com'): Promise<void> {
  const code = server.setupCode() ?? '';
  await server.api.setUp({ body: { code, email, displayName: 'Ada', password: goodPassword } });
}

/** Returns the token in an invitation's address. */
export const tokenOf = (invitation: { url: string } | undefined): string =>
  new URL(invitation?.url ?? 'http://none').hash.slice(1);

/** A file of one external provider; by default no server answers at its address. */
export function writeProviders(dir: string, more: object = {}): string {
  const file = path.join(dir, 'providers.json');
  const provider = { id: 'example', label: 'Example ID', issuer: 'http://127.0.0.1:1', clientId: 'groundctl' };
  fs.writeFileSync(file, JSON.stringify([{ ...provider, ...more }]));
  return file;
}

/** Calls every route of accounts, sign-in and members at least once, each with a valid request. */
export async function requestPeople(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  await api.listProviders({});
  await setUpOwner(server);
  await api.signIn({ body: { email: 'owner@example.com', password: goodPassword } });
  await api.requestPasswordReset({ body: { email: 'owner@example.com' } });
  const params = { workspaceId };
  await api.listMembers({ params });
  const { member, invitation } = (await api.addMember({ params, body: { email: 'grace@example.com' } })).body;
  const accepted = { token: tokenOf(invitation), displayName: 'Grace', password: goodPassword };
  await api.inspectInvitation({ body: { token: accepted.token } });
  await api.acceptInvitation({ body: accepted });
  const grace = { workspaceId, subject: member.accountId };
  await api.changeMember({ params: grace, body: { role: 'admin' } });
  await api.removeMember({ params: grace });
  await api.startProvider({ params: { providerId: 'example' } });
  await api.finishProvider({ params: { providerId: 'example' } });
  const operator = server.as(server.operatorToken);
  const issue = async () => {
    const { session } = (await operator.issueSession({ body: { subject: member.accountId } })).body;
    return server.as(session.token);
  };
  const one = await issue();
  await issue();
  await one.listConsents({});
  await one.changePassword({ body: { currentPassword: goodPassword, newPassword: otherPassword } });
  const third = await issue();
  const { sessions } = (await third.listSessions({})).body;
  const other = sessions.find(({ current }) => !current);
  await third.endOneSession({ params: { sessionId: other?.id ?? '' } });
  await third.endAllSessions({});
}
