import type { IdentityService } from '#server/domains/identity/index';
import type { IssuerAnswer, IssuerPerson } from '#server/drivers/issuer/index';
import { AppError } from '#server/kernel/errors';
import { type Caller, type RawReply, refusalPage } from '#server/kernel/http/index';
import { flat, pageRaw, redirectRaw } from './answers.ts';
import type { IssuerService } from './service.ts';
import { createChooseWorkspace, type WorkspaceChoicePorts } from './workspace-choice.ts';

export type SignInPorts = WorkspaceChoicePorts & {
  issuer: IssuerService;
  identity: Pick<IdentityService, 'findSignIn'>;
  /** Name of the cookie of a session. */
  cookieName: string;
};

/** Returns the account that is signed in at this browser. */
export function personOf({ identity, cookieName }: SignInPorts, caller: Caller): IssuerPerson | undefined {
  const signIn = identity.findSignIn(caller.findCookie(cookieName) ?? '');
  if (!signIn) return undefined;
  const { subject: accountId, sessionId, signedInAt } = signIn;
  return { accountId, sessionId, signedInAt };
}

export type Authorize = (caller: Caller, search: string, status: 302 | 303) => Promise<RawReply>;

/** Answers an authorization request with a redirect to the client, the sign-in page or the page of consent. */
export function createAuthorize(ports: SignInPorts): Authorize {
  const chooseWorkspace = createChooseWorkspace(ports);
  return async (caller, search, status) => {
    const person = personOf(ports, caller);
    const choice = person && chooseWorkspace(person, caller, search);
    if (choice) return choice;
    const answer = await ports.issuer.authorize({
      method: 'GET',
      url: `/oauth/authorize?${search}`,
      headers: { accept: 'application/json' },
      person,
    });
    const { location } = answer.headers;
    if (typeof location !== 'string') return refuse(answer, caller);
    return redirectRaw(location.startsWith('/oauth/consent/') ? 303 : status, withKnownError(location));
  };
}

const knownErrors =
  /[?&#]error=(?:invalid_request|unauthorized_client|access_denied|unsupported_response_type|invalid_scope|server_error|temporarily_unavailable|login_required|consent_required)(?:&|$)/;

/** Errors of extensions that are not served are `invalid_request` (RFC 6749, 4.1.2.1). */
const withKnownError = (location: string): string =>
  knownErrors.test(location) ? location : location.replace(/([?&#]error=)[a-z_]+/, '$1invalid_request');

/** A refusal that may not be sent to the redirect is shown here: as a page to a browser (RFC 6749, 4.1.2.1). */
function refuse(answer: IssuerAnswer, { accept, acceptLanguage, requestId }: Caller): RawReply {
  const { error = 'server_error', error_description: reason = error } = JSON.parse(answer.body) as Record<
    string,
    string
  >;
  if (!accept.includes('text/html')) return flat(answer.status, error, reason);
  const message = `The app sent a sign-in request that is not valid: ${reason}. Go back to the app and start again.`;
  return pageRaw(answer.status, refusalPage(new AppError('invalid_request', message), { requestId, acceptLanguage }));
}
