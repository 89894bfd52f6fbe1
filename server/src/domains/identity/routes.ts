import { type Caller, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { type Consent, identityApi } from '#shared/identity/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import { type SessionCookie, signedInHeader, signedOutHeader } from './cookie.ts';
import type { IdentityService } from './service.ts';

/** The session of a route that accepts only sessions. */
function sessionOf({ principal }: Caller): { subject: string; sessionId: string } {
  if (principal.kind !== 'session') throw new Error('a route for sessions was reached without one');
  return principal;
}

/** Consents of an account, which the issuer keeps. */
export type ConsentPorts = {
  list: (accountId: string) => Consent[];
  withdraw: (accountId: string, consentId: string) => void;
};

type Parts = { identity: IdentityService; cookie: SessionCookie; consents: ConsentPorts };

export function identityRoutes(mount: Mount, { identity, cookie, consents }: Parts): void {
  mount(identityApi, {
    linkSession:
      ({ body: { token, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        const issued = identity.signInByLink(token, caller.userAgent);
        return ok({ session: issued.session }, signedInHeader(cookie, issued));
      },
    getSession: ({ caller }) => ok(identity.findSessionRecord(caller.sessionToken) ?? { session: null }),
    endSession:
      ({ caller }) =>
      () => {
        const { sessionId, subject } = sessionOf(caller);
        identity.endSession(sessionId, subject);
        return noContent(signedOutHeader(cookie));
      },
    listSessions: ({ caller }) => {
      const { sessionId, subject } = sessionOf(caller);
      return ok({ sessions: identity.listSessions(subject, sessionId) });
    },
    endOneSession:
      ({ params, caller }) =>
      () => {
        const { sessionId, subject } = sessionOf(caller);
        identity.endOneSession(params.sessionId, subject);
        return noContent(params.sessionId === sessionId ? signedOutHeader(cookie) : {});
      },
    endAllSessions:
      ({ caller }) =>
      () => {
        identity.endAllSessions(sessionOf(caller).subject);
        return noContent(signedOutHeader(cookie));
      },
    changePassword: async ({ body, caller }) => {
      const { sessionId, subject } = sessionOf(caller);
      const change = await identity.preparePassword({ sessionId, subject }, body);
      return () => {
        change();
        return noContent();
      };
    },
    listConsents: ({ caller }) => ok({ consents: consents.list(sessionOf(caller).subject) }),
    withdrawConsent:
      ({ params, caller }) =>
      () => {
        consents.withdraw(sessionOf(caller).subject, params.consentId);
        return noContent();
      },
    issueSession:
      ({ body: { subject, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        const { token, session } = identity.issueByOperator(subject, caller.userAgent);
        return created({ session: { token, subject: session.subject, expiresAt: session.expiresAt } });
      },
    issueSignInLink:
      ({ body: { subject, email, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return created(identity.createLink({ subject, email }, caller.origin));
      },
  });
}
