import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#shared/permissions';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { goodPassword, tokenOf } from '../../../test/people.ts';

let server: TestServer;
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const params = () => ({ workspaceId: server.workspaceId });
const of = (subject: string) => ({ ...params(), subject });
const dayMs = 24 * 3_600_000;
let people = 0;
const newEmail = () => `person${++people}@example.com`;
const invite = async (email: string, role?: Role) =>
  (await server.api.addMember({ params: params(), body: { email, ...(role && { role }) } })).body;
const accept = (token: string, password = goodPassword) => {
  clock.advance(60_000);
  return server.api.acceptInvitation({ body: { token, displayName: 'Grace', password } });
};
const rowOf = async (subject: string) =>
  (await server.api.listMembers({ params: params() })).body.members.find(({ accountId }) => accountId === subject);
/** Returns the actions in the history of a member, newest first. */
const historyOf = async (id: string) =>
  (await server.api.listActivity({ params: params() })).body.events
    .filter(({ targetId }) => targetId === id)
    .map(({ action }) => action);

describe('an invitation', () => {
  test('of an unknown e-mail reserves a subject and returns a link once', async () => {
    const email = newEmail();
    const { member, invitation } = await invite(email, 'viewer');
    expect(member).toMatchObject({ email, roles: ['viewer'], status: 'invited' });
    expect(invitation?.url).toMatch(new RegExp(`^${server.url}/invite#svcinv_[\\w-]{43}$`));
    expect(Date.parse(invitation?.expiresAt ?? '') - clock.now()).toBe(7 * dayMs);
    const { body } = await accept(tokenOf(invitation));
    expect(body.member).toMatchObject({ id: member.id, accountId: member.accountId, status: 'active', email });
    expect(body.session.subject).toBe(member.accountId);
    expect(await rowOf(member.accountId)).toMatchObject({ displayName: 'Grace', status: 'active' });
    await expect(accept(tokenOf(invitation))).rejects.toMatchObject({ status: 404, code: 'invitation_not_found' });
    expect(await historyOf(member.id)).toEqual(['member.joined', 'member.invited']);
  });

  test('ends with the next invitation, by removal, or after seven days', async () => {
    const email = newEmail();
    const [first, second] = [await invite(email, 'admin'), await invite(email, 'admin')];
    expect(second.member).toMatchObject({ accountId: first.member.accountId, roles: ['admin'] });
    await expect(accept(tokenOf(first.invitation))).rejects.toMatchObject({ code: 'invitation_not_found' });
    await server.api.removeMember({ params: of(second.member.accountId) });
    await expect(accept(tokenOf(second.invitation))).rejects.toMatchObject({ code: 'invitation_not_found' });
    const third = await invite(email);
    expect(third.member).toMatchObject({ status: 'invited', roles: ['member'] });
    clock.advance(7 * dayMs);
    await expect(accept(tokenOf(third.invitation))).rejects.toMatchObject({ code: 'invitation_not_found' });
  });

  test('shows its holder the Workspace and the inviter until it is used, replaced or expired', async () => {
    const inspect = async (token: string) => (await server.api.inspectInvitation({ body: { token } })).body.invitation;
    const email = newEmail();
    const first = tokenOf((await invite(email)).invitation);
    const second = await invite(email);
    await expect(inspect(first)).rejects.toMatchObject({ status: 404, code: 'invitation_not_found' });
    const seen = await inspect(tokenOf(second.invitation));
    const { displayName } = (await server.api.getWorkspace({ params: { workspaceId: server.workspaceId } })).body
      .workspace;
    expect(seen).toEqual({
      workspaceName: displayName,
      inviterName: expect.any(String),
      email,
      expiresAt: second.invitation?.expiresAt,
    });
    expect(await inspect(tokenOf(second.invitation))).toEqual(seen);
    await accept(tokenOf(second.invitation));
    await expect(inspect(tokenOf(second.invitation))).rejects.toMatchObject({ code: 'invitation_not_found' });
    await expect(inspect('svcinv_unknown')).rejects.toMatchObject({ code: 'invitation_not_found' });
  });

  test('into a second Workspace is accepted with the account password, and activates only that membership', async () => {
    const email = newEmail();
    const second = (await server.api.createWorkspace({ body: { handle: `team-${people}` } })).body.workspace;
    const there = await server.api.addMember({ params: { workspaceId: second.id }, body: { email } });
    const { member, invitation } = await invite(email);
    const { body } = await accept(tokenOf(invitation));
    const { members } = (await server.api.listMembers({ params: { workspaceId: second.id } })).body;
    expect(members.find(({ accountId }) => accountId === member.accountId)?.status).toBe('invited');
    const wrong = accept(tokenOf(there.body.invitation), 'another password');
    await expect(wrong).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' });
    const joined = (await accept(tokenOf(there.body.invitation))).body;
    expect([joined.session.subject, joined.member.status]).toEqual([body.session.subject, 'active']);
  });

  test('requires a strong password and is not used up by a weak one', async () => {
    const { invitation, member } = await invite(newEmail());
    for (const password of ['short', 'x'.repeat(257), member.email ?? ''])
      await expect(accept(tokenOf(invitation), password)).rejects.toMatchObject({
        status: 400,
        details: { reason: 'password_too_weak' },
      });
    expect((await accept(tokenOf(invitation), '🙂'.repeat(12))).status).toBe(201);
  });

  test('is never stored in a receipt, so a repeated request does not show it again', async () => {
    const key = { 'idempotency-key': 'invite-once' };
    const sendInvite = () =>
      server.request('POST', `/api/v1/workspaces/${server.workspaceId}/members`, { email: 'k@x.y' }, key);
    const [first, again] = [await sendInvite(), await sendInvite()];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(first.json).toHaveProperty('invitation');
    expect(again.json).toEqual({ member: (first.json as { member: object }).member });
  });
});

describe('members', () => {
  test('are added by account at once, and only once', async () => {
    const { subject } = await server.join(undefined);
    const add = (body: object) => server.api.addMember({ params: params(), body });
    const { body } = await add({ subject, role: 'viewer' });
    expect(body).toEqual({
      member: expect.objectContaining({ accountId: subject, status: 'active', roles: ['viewer'] }),
    });
    await expect(add({ accountId: subject })).rejects.toMatchObject({ details: { reason: 'member_exists' } });
    await expect(add({ accountId: `sub_${'0'.repeat(26)}` })).rejects.toMatchObject({ status: 404 });
    await expect(add({ subject, email: 'a@b.c' })).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    await expect(add({})).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    await expect(add({ subject, role: 'king' })).rejects.toMatchObject({ details: { reason: 'role_invalid' } });
    await server.api.removeMember({ params: of(subject) });
    expect((await add({ subject })).body.member).toMatchObject({ status: 'active', roles: ['member'] });
  });

  test('below owner can be added by an admin, who cannot change an owner', async () => {
    const admin = await server.join('admin');
    const add = (body: object) => admin.api.addMember({ params: params(), body });
    const { subject } = await server.join(undefined);
    await expect(add({ subject, role: 'owner' })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    expect((await add({ subject, role: 'admin' })).status).toBe(201);
    const owner = await server.join('owner');
    await server.api.removeMember({ params: of(owner.subject) });
    await expect(add({ subject: owner.subject })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    const change = admin.api.changeMember({ params: of(subject), body: { role: 'viewer' } });
    await expect(change).rejects.toMatchObject({ status: 403 });
  });

  test('change their role while they are active or invited', async () => {
    const { subject, api } = await server.join('viewer');
    const change = (body: { role?: string; roles?: string[] }) =>
      server.api.changeMember({ params: of(subject), body });
    expect((await change({ roles: ['admin'] })).body.member.roles).toEqual(['admin']);
    expect((await api.addMember({ params: params(), body: { email: newEmail() } })).status).toBe(201);
    expect((await change({ role: 'member' })).body.member.roles).toEqual(['member']);
    await expect(api.addMember({ params: params(), body: { email: newEmail() } })).rejects.toMatchObject({
      status: 403,
    });
    await expect(change({ role: 'king' })).rejects.toMatchObject({ details: { reason: 'role_invalid' } });
    await expect(change({})).rejects.toMatchObject({ code: 'invalid_request' });
    await server.api.removeMember({ params: of(subject) });
    await expect(change({ role: 'viewer' })).rejects.toMatchObject({ status: 404 });
  });

  test('keep at least one owner, checked inside the write', async () => {
    const { workspace } = (await server.api.createWorkspace({ body: { handle: 'owners' } })).body;
    const [one, two] = [await server.join(undefined), await server.join(undefined)];
    const at = (subject: string) => ({ workspaceId: workspace.id, subject });
    for (const { subject } of [one, two])
      await server.api.addMember({ params: { workspaceId: workspace.id }, body: { subject, role: 'owner' } });
    await server.api.removeMember({ params: at(server.subject) });
    const answers = await Promise.allSettled([
      one.api.removeMember({ params: at(one.subject) }),
      two.api.changeMember({ params: at(two.subject), body: { role: 'viewer' } }),
    ]);
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused.map(({ reason }) => reason.details.reason)).toEqual(['last_owner']);
  });

  test('can leave, and their open streams end at once', async () => {
    const { subject, api, token } = await server.join('viewer');
    const authorization = `Bearer ${token}`;
    const stream = await server.events(`/api/v1/workspaces/${server.workspaceId}/events`, { authorization });
    const { member } = (await api.removeMember({ params: of(subject) })).body;
    expect(member.status).toBe('suspended');
    await stream.rest();
    await expect(api.listMembers({ params: params() })).rejects.toMatchObject({ status: 403 });
    expect((await server.api.removeMember({ params: of(subject) })).body.member).toEqual(member);
    expect(await historyOf(member.id)).toEqual(['member.removed']);
  });

  test('are reported to the readers of the Workspace', async () => {
    const { subject } = await server.join(undefined);
    const stream = await server.events(`/api/v1/workspaces/${server.workspaceId}/events`);
    const { member } = (await server.api.addMember({ params: params(), body: { subject } })).body;
    const events = await stream.until('changed');
    expect(events.at(-1)?.data).toEqual({ kind: 'member', id: member.id, status: 'active' });
    stream.close();
  });
});
