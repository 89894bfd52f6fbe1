import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { Timestamp } from '../kernel/scalars.ts';

export const Session = z.strictObject({
  subject: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  displayName: z.string().optional(),
  email: z.string().optional(),
  primaryAccountId: z.string().optional(),
});
export type Session = z.infer<typeof Session>;

export const identityApi = defineApi({
  linkSession: {
    method: 'POST',
    path: '/auth/link',
    summary: 'Sign in with a one-time link',
    class: 'X',
    idempotency: 'none',
    body: z.strictObject({ token: z.string().min(1).max(256) }),
    replies: { 200: z.strictObject({ session: Session }) },
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
    body: z.strictObject({ subject: id('account').optional() }),
    replies: { 201: z.strictObject({ url: z.string(), expiresAt: Timestamp }) },
    errors: ['not_found'],
  },
});
