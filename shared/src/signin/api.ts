import { z } from 'zod';
import { SentPassword, SignedIn } from '../identity/api.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { DisplayName, Email, Timestamp } from '../kernel/scalars.ts';
import { Member } from '../workspaces/contract.ts';

/** A sign-in method: e-mail and password of this server, or a provider that the operator configured. */
export const SignInProvider = z.strictObject({
  id: z.string(),
  enabled: z.boolean(),
  label: z.string(),
  protocol: z.enum(['password', 'oidc']),
});
export type SignInProvider = z.infer<typeof SignInProvider>;

/** Values of `/sign-in?error=` for a failed sign-in at a provider. */
export const signInErrors = ['state_invalid', 'provider_error', 'login_not_allowed'] as const;
export type SignInError = (typeof signInErrors)[number];

/** Visible ASCII, which a header can carry (RFC 9110, 5.5); everything else is percent-encoded in a path. */
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
/** A page of this server to continue to: a path that no browser takes for another origin. */
export const ReturnPath = z.string().max(8_192).regex(plainPath);

const InvitationToken = z.string().min(1).max(256);

/** An invitation as its holder sees it; `inviterName` is absent when the operator invited. */
export const InvitationSummary = z.strictObject({
  workspaceName: z.string(),
  inviterName: z.string().optional(),
  email: z.string().optional(),
  expiresAt: Timestamp,
});
export type InvitationSummary = z.infer<typeof InvitationSummary>;

const providerPath = z.strictObject({ providerId: z.string() });
const session = z.strictObject({ session: SignedIn });

export const signInApi = defineApi({
  listProviders: {
    method: 'GET',
    path: '/auth/providers',
    summary: 'Ways to sign in',
    class: 'X',
    replies: {
      200: z.strictObject({
        providers: z.array(SignInProvider),
        password: z.boolean(),
        /** No account has a password yet: the server printed a link that creates the first one. */
        setupRequired: z.boolean(),
        /** True when a forgotten password is reset by mail. */
        passwordReset: z.boolean(),
      }),
    },
  },
  setUp: {
    method: 'POST',
    path: '/auth/setup',
    rate: 'passwords',
    summary: 'Give the local owner an e-mail and a password, with the code the server printed',
    class: 'X',
    idempotency: 'none',
    body: z.strictObject({
      code: z.string().min(1).max(64),
      email: Email,
      displayName: DisplayName,
      password: SentPassword,
    }),
    replyHeaders: { 201: ['set-cookie'] },
    replies: { 201: session },
    errors: ['not_found', 'invalid_credentials', 'invalid_argument', 'already_exists', 'rate_limited'],
  },
  signIn: {
    method: 'POST',
    path: '/auth/sign-in',
    rate: 'passwords',
    summary: 'Sign in with e-mail and password',
    class: 'X',
    capability: 'password_sign_in',
    idempotency: 'none',
    body: z.strictObject({ email: Email, password: SentPassword }),
    replyHeaders: { 200: ['set-cookie'] },
    replies: { 200: session },
    errors: ['invalid_credentials', 'login_not_allowed', 'rate_limited'],
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/auth/password-resets',
    rate: 'passwords',
    summary: 'Mail a one-time sign-in link to the account of an e-mail; the answer is the same without one',
    class: 'X',
    capability: 'password_sign_in',
    idempotency: 'none',
    body: z.strictObject({ email: Email }),
    replies: { 202: z.strictObject({ requested: z.literal(true) }) },
    errors: ['capability_not_available', 'rate_limited'],
  },
  inspectInvitation: {
    method: 'POST',
    path: '/auth/invitations/inspect',
    rate: 'passwords',
    summary: 'Read what an invitation is for; the token is not used up',
    class: 'X',
    idempotency: 'none',
    body: z.strictObject({ token: InvitationToken }),
    replies: { 200: z.strictObject({ invitation: InvitationSummary }) },
    errors: ['invitation_not_found', 'failed_precondition', 'rate_limited'],
  },
  acceptInvitation: {
    method: 'POST',
    path: '/auth/invitations/accept',
    rate: 'passwords',
    summary: 'Accept an invitation into a Workspace',
    class: 'X',
    capability: 'password_sign_in',
    idempotency: 'none',
    body: z.strictObject({
      token: InvitationToken,
      displayName: DisplayName,
      password: SentPassword,
    }),
    replyHeaders: { 201: ['set-cookie'] },
    replies: { 201: z.strictObject({ session: SignedIn, member: Member }) },
    errors: [
      'invitation_not_found',
      'invalid_credentials',
      'invalid_argument',
      'login_not_allowed',
      'failed_precondition',
      'rate_limited',
    ],
  },
  startProvider: {
    method: 'GET',
    path: '/auth/oidc/:providerId/start',
    summary: 'Go to a provider to sign in there',
    class: 'X',
    params: providerPath,
    query: z.object({ return: ReturnPath.optional() }),
    replyHeaders: { 302: ['set-cookie'] },
    replies: { 302: z.undefined(), 303: z.undefined() },
  },
  finishProvider: {
    method: 'GET',
    path: '/auth/oidc/:providerId/callback',
    summary: 'Come back from a provider',
    class: 'X',
    params: providerPath,
    query: z.object({ code: z.string().max(8_192).optional(), state: z.string().max(1_024).optional() }),
    replyHeaders: { 303: ['set-cookie'] },
    replies: { 303: z.undefined() },
  },
});
