import { cookieText, type SessionCookie, signedInHeader } from '#server/domains/identity/index';
import { accepted, created, type Mount, ok, redirectTo, seeOther } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { signInApi } from '#shared/signin/api';
import { flowSeconds, type OidcSignIn } from './oidc.ts';
import type { SignInService } from './service.ts';

type Parts = { signIn: SignInService; oidc: OidcSignIn };

/** Path of the cookie that binds a provider sign-in to one browser. The cookie is sent only to the callback routes. */
const flowPath = '/api/v1/auth/oidc';

export function signInRoutes(mount: Mount, { signIn, oidc }: Parts, cookie: SessionCookie): void {
  const flow = { ...cookie, name: `${cookie.name}_flow` };
  mount(signInApi, {
    listProviders: () => ok(signIn.ways()),
    setUp: async ({ body, caller }) => {
      const set = await signIn.prepareSetup(body, caller);
      return () => {
        const issued = set();
        return created({ session: issued.session }, signedInHeader(cookie, issued));
      };
    },
    signIn: async ({ body, caller }) => {
      const enter = await signIn.prepareSignIn(body, caller);
      return () => {
        const issued = enter();
        return ok({ session: issued.session }, signedInHeader(cookie, issued));
      };
    },
    requestPasswordReset: ({ body }) => {
      const request = signIn.preparePasswordReset(body);
      return () => {
        request();
        return accepted({ requested: true });
      };
    },
    inspectInvitation: ({ body }) => ok({ invitation: signIn.inspectInvitation(body) }),
    acceptInvitation: async ({ body, caller }) => {
      const accept = await signIn.prepareAcceptance(body, caller);
      return () => {
        const { issued, member } = accept();
        return created({ session: issued.session, member }, signedInHeader(cookie, issued));
      };
    },
    startProvider: async ({ params, query: { return: back, ...rest }, caller }) => {
      nothingLeft(rest);
      const provider = signIn.requireProvider(params.providerId);
      const { location, binding } = await oidc.start(provider, { origin: caller.origin, back });
      if (binding === undefined) return seeOther(location);
      const value = { value: binding, path: flowPath, maxAgeSeconds: flowSeconds };
      return redirectTo(location, { 'set-cookie': cookieText(flow, value) });
    },
    // The code is verified as part of `search`, together with what else the provider sends.
    finishProvider: async ({ params, query: { state, code: _code, ...rest }, caller }) => {
      nothingLeft(rest);
      const provider = signIn.requireProvider(params.providerId);
      const finish = await oidc.finish(provider, {
        state,
        search: caller.search,
        binding: caller.findCookie(flow.name),
        userAgent: caller.userAgent,
      });
      return () => {
        const { location, issued } = finish();
        const spent = cookieText(flow, { value: '', path: flowPath, maxAgeSeconds: 0 });
        const entered = issued ? [signedInHeader(cookie, issued)['set-cookie']] : [];
        return seeOther(location, { 'set-cookie': [spent, ...entered] });
      };
    },
  });
}
