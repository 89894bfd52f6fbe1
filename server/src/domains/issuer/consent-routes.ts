import { type Caller, type Handlers, pageLanguageOf, plainPage, type RawReply } from '#server/kernel/http/index';
import type { issuerApi } from '#shared/issuer/api';
import { pageRaw, redirectRaw } from './answers.ts';
import { type Authorize, personOf, type SignInPorts } from './authorize.ts';
import { consentPage } from './consent-page.ts';
import { parseForm } from './form.ts';
import type { ConsentRequestRow } from './store.ts';

type Ports = SignInPorts & { nameOfWorkspace: (id: string) => string | undefined };
type ConsentHandlers = Pick<Handlers<typeof issuerApi>, 'showConsent' | 'decideConsent'>;

const outdated = {
  en: {
    title: 'This page is no longer valid',
    text: 'It was used, or it is older than ten minutes. Start at the app again.',
  },
  ja: {
    title: 'このページは無効になりました',
    text: 'すでに使用されたか、10 分以上経過しています。アプリからもう一度始めてください。',
  },
};

/** The pages on which accounts allow clients. */
export function createConsentHandlers(ports: Ports, authorize: Authorize): ConsentHandlers {
  const { issuer } = ports;

  function findQuestion(caller: Caller, consentId: string): ConsentRequestRow | undefined {
    const person = personOf(ports, caller);
    return person && issuer.consents.findQuestion(consentId, person.sessionId);
  }

  function refuse({ acceptLanguage }: Caller): RawReply {
    const lang = pageLanguageOf(acceptLanguage);
    const { title, text } = outdated[lang];
    return pageRaw(400, plainPage(lang, title, `<p>${text}</p>`));
  }

  return {
    showConsent: ({ params, caller }) => {
      if (!personOf(ports, caller)) {
        const back = new URLSearchParams({ return: `/oauth/consent/${params.consentId}` });
        return redirectRaw(303, `/sign-in?${back}`);
      }
      const question = findQuestion(caller, params.consentId);
      if (!question) return refuse(caller);
      const { clientId, redirectUri, workspaceId, scopes } = question;
      const name = issuer.findClient(clientId)?.name ?? clientId;
      const workspaceName = workspaceId === '' ? undefined : ports.nameOfWorkspace(workspaceId);
      return pageRaw(
        200,
        consentPage(pageLanguageOf(caller.acceptLanguage), { name, redirectUri, workspaceName, scopes }),
      );
    },

    decideConsent: async ({ params, caller, raw }) => {
      const question = findQuestion(caller, params.consentId);
      const decision = parseForm(raw)?.get('decision');
      const isOwnPage = raw.headers['origin'] === caller.origin;
      if (!question || !isOwnPage || (decision !== 'allow' && decision !== 'deny')) return refuse(caller);
      if (!issuer.consents.answer(question, { isAllowed: decision === 'allow' })) return refuse(caller);
      return decision === 'allow'
        ? authorize(caller, question.search, 303)
        : redirectRaw(303, deniedAt(question, issuer.metadata().issuer));
    },
  };
}

/** The redirect of an account that denied (RFC 6749, 4.1.2.1; RFC 9207, 2). */
function deniedAt({ redirectUri, search }: ConsentRequestRow, issuer: string): string {
  const sent = new URLSearchParams(search);
  const answer = new URLSearchParams({
    error: 'access_denied',
    error_description: 'the account denied the request',
    state: sent.get('state') ?? '',
    iss: issuer,
  });
  const target = new URL(redirectUri);
  if (sent.get('response_mode') === 'fragment') target.hash = String(answer);
  else for (const [name, value] of answer) target.searchParams.set(name, value);
  return target.href;
}
