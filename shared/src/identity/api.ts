import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { Email, Timestamp } from '../kernel/scalars.ts';

/** Response to a sign-in; the token is only in the cookie. */
export const SignedIn = z.strictObject({ subject: z.string(), createdAt: Timestamp, expiresAt: Timestamp });
export type SignedIn = z.infer<typeof SignedIn>;

export const Session = SignedIn.extend({
  displayName: z.string().optional(),
  email: z.string().optional(),
  primaryAccountId: z.string().optional(),
});
export type Session = z.infer<typeof Session>;

/** A session of an account, as its owner sees it. */
export const SessionEntry = z.strictObject({
  id: z.string(),
  createdAt: Timestamp,
  /** Updated at most once a minute. */
  lastSeenAt: Timestamp,
  userAgent: z.string().optional(),
  /** True for the session that sends the request. */
  current: z.boolean(),
});
export type SessionEntry = z.infer<typeof SessionEntry>;

/** Scopes that an account gave to a client. */
export const Consent = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  workspaceId: z.string().optional(),
  createdAt: Timestamp,
});
export type Consent = z.infer<typeof Consent>;

/** A password as it is sent; the rules for a new password are checked separately. */
export const SentPassword = z.string().max(4_096);

export const identityApi = defineApi({
  linkSession: {
    method: 'POST',
    path: '/auth/link',
    summary: 'Sign in with a one-time link',
    class: 'X',
    idempotency: 'none',
    body: z.strictObject({ token: z.string().min(1).max(256) }),
    replyHeaders: { 200: ['set-cookie'] },
    replies: { 200: z.strictObject({ session: SignedIn }) },
    errors: ['invalid_credentials'],
  },
  getSession: {
    method: 'GET',
    path: '/account/session/me',
    summary: 'The session of the caller, or null',
    class: 'X',
    replies: { 200: z.union([Session, z.strictObject({ session: z.null() })]) },
  },
  endSession: {
    method: 'DELETE',
    path: '/account/session/me',
    summary: 'Sign out',
    class: 'S',
    idempotency: 'none',
    replyHeaders: { 204: ['set-cookie'] },
    replies: { 204: z.undefined() },
    errors: ['session_revocation_unavailable'],
  },
  listSessions: {
    method: 'GET',
    path: '/account/sessions',
    summary: 'Where the account is signed in',
    class: 'S',
    replies: { 200: z.strictObject({ sessions: z.array(SessionEntry) }) },
  },
  endOneSession: {
    method: 'DELETE',
    path: '/account/sessions/:sessionId',
    summary: 'End a session of the account',
    class: 'S',
    params: z.strictObject({ sessionId: z.string() }),
    replyHeaders: { 204: ['set-cookie'] },
    replies: { 204: z.undefined() },
    errors: ['session_revocation_unavailable'],
  },
  endAllSessions: {
    method: 'DELETE',
    path: '/account/sessions',
    summary: 'Sign out everywhere',
    class: 'S',
    replyHeaders: { 204: ['set-cookie'] },
    replies: { 204: z.undefined() },
    errors: ['session_revocation_unavailable'],
  },
  changePassword: {
    method: 'POST',
    path: '/account/password',
    rate: 'passwords',
    summary: 'Change the password and end every other session',
    class: 'S',
    capability: 'password_sign_in',
    body: z.strictObject({ currentPassword: SentPassword.optional(), newPassword: SentPassword }),
    replies: { 204: z.undefined() },
    errors: ['invalid_credentials', 'invalid_argument', 'rate_limited', 'conflict'],
  },
  listConsents: {
    method: 'GET',
    path: '/account/consents',
    summary: 'Clients that the account lets sign it in',
    class: 'S',
    replies: { 200: z.strictObject({ consents: z.array(Consent) }) },
  },
  withdrawConsent: {
    method: 'DELETE',
    path: '/account/consents/:consentId',
    summary: 'Withdraw a consent',
    class: 'S',
    params: z.strictObject({ consentId: z.string() }),
    replies: { 204: z.undefined() },
  },
  issueSession: {
    method: 'POST',
    base: '/internal/v1',
    path: '/account-sessions',
    summary: 'Issue an account session (operator)',
    class: 'Op',
    idempotency: 'none',
    body: z.strictObject({ subject: id('account').optional() }),
    replies: {
      201: z.strictObject({
        session: z.strictObject({ token: z.string(), subject: z.string(), expiresAt: Timestamp }),
      }),
    },
    errors: ['not_found'],
  },
  issueSignInLink: {
    method: 'POST',
    base: '/internal/v1',
    path: '/sign-in-links',
    summary: 'Make a one-time sign-in link (operator)',
    class: 'Op',
    idempotency: 'none',
    body: z
      .strictObject({ subject: id('account').optional(), email: Email.optional() })
      .refine(({ subject, email }) => subject === undefined || email === undefined, 'Name the account once.'),
    replies: { 201: z.strictObject({ url: z.string(), expiresAt: Timestamp }) },
    errors: ['not_found'],
  },
});
