import { z } from 'zod';
import { withExactlyOne } from '../kernel/alternatives.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { Email, Timestamp } from '../kernel/scalars.ts';
import { Member } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const memberPath = workspacePath.extend({ subject: z.string() });
/** The record checks the role, so that an unknown role is refused with its own reason. */
const SentRole = z.string().max(64);
const Subject = z.string().min(1).max(64);

/** The person to add: exactly one of the three. */
const AddMember = withExactlyOne(
  z.strictObject({
    email: Email.optional(),
    accountId: Subject.optional(),
    subject: Subject.optional(),
    role: SentRole.default('member'),
  }),
  ['email', 'accountId', 'subject'],
);

const ChangeMember = withExactlyOne(
  z.strictObject({ roles: z.array(SentRole).min(1).max(4).optional(), role: SentRole.optional() }),
  ['roles', 'role'],
);

/** A link that activates an invited member, once; it is shown only here. */
export const Invitation = z.strictObject({ url: z.string(), expiresAt: Timestamp });
export type Invitation = z.infer<typeof Invitation>;

const one = z.strictObject({ member: Member });

export const membersApi = defineApi({
  listMembers: {
    method: 'GET',
    path: '/workspaces/:workspaceId/members',
    summary: 'Members of a Workspace',
    class: 'R',
    descriptor: 8,
    params: workspacePath,
    replies: { 200: z.strictObject({ members: z.array(Member) }) },
  },
  addMember: {
    method: 'POST',
    path: '/workspaces/:workspaceId/members',
    summary: 'Add a member by account, or invite one by e-mail',
    class: 'W',
    descriptor: 9,
    params: workspacePath,
    body: AddMember,
    replies: { 201: z.strictObject({ member: Member, invitation: Invitation.optional() }) },
    errors: ['not_found', 'invalid_argument', 'failed_precondition'],
  },
  changeMember: {
    method: 'PATCH',
    path: '/workspaces/:workspaceId/members/:subject',
    summary: 'Change the role of a member',
    class: 'O',
    descriptor: 10,
    params: memberPath,
    body: ChangeMember,
    replies: { 200: one },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  removeMember: {
    method: 'DELETE',
    path: '/workspaces/:workspaceId/members/:subject',
    summary: 'Remove a member, or leave a Workspace',
    class: 'O',
    descriptor: 11,
    ownAs: 'subject',
    whenArchived: true,
    params: memberPath,
    replies: { 200: one },
    errors: ['failed_precondition'],
  },
});
