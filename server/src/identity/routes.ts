import { created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { identityApi } from '#shared/identity/api';
import type { IdentityService, IssuedSession } from './service.ts';

type Cookie = { name: string; secure: boolean };

export function identityRoutes(mount: Mount, identity: IdentityService, cookie: Cookie): void {
  const cookieText = (value: string, maxAgeSeconds: number) =>
    `${cookie.name}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAgeSeconds}${cookie.secure ? '; Secure' : ''}`;
  const signedIn = ({ token, maxAgeSeconds }: IssuedSession) => ({ 'set-cookie': cookieText(token, maxAgeSeconds) });

  mount(identityApi, {
    linkSession:
      ({ body, caller }) =>
      () => {
        const issued = identity.signInByLink(body.token, caller.userAgent);
        return ok({ session: issued.session }, signedIn(issued));
      },
    getSession: ({ caller }) => ok(identity.findSessionRecord(caller.sessionToken) ?? { session: null }),
    endSession:
      ({ caller: { principal } }) =>
      () => {
        if (principal.kind === 'session') identity.endSession(principal.sessionId, principal.subject);
        return noContent({ 'set-cookie': cookieText('', 0) });
      },
    issueSession:
      ({ body, caller }) =>
      () => {
        const { token, session } = identity.issueByOperator(body.subject, caller.userAgent);
        return created({ session: { token, subject: session.subject, expiresAt: session.expiresAt } });
      },
    issueSignInLink:
      ({ body, caller }) =>
      () =>
        created(identity.createLink(body.subject, caller.origin)),
  });
}
