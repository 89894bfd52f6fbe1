import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationRequestCases } from '../../../test/issuer/authorization-cases.ts';
import { accessTokenCases } from '../../../test/issuer/bearer-cases.ts';
import { clientCases } from '../../../test/issuer/client-cases.ts';
import { consentCases } from '../../../test/issuer/consent-cases.ts';
import { endCases } from '../../../test/issuer/ends-cases.ts';
import { outcomeOf } from '../../../test/issuer/outcome.ts';
import { redirectCases } from '../../../test/issuer/redirect-cases.ts';
import { refreshCases } from '../../../test/issuer/refresh-cases.ts';
import { tokenCases } from '../../../test/issuer/token-cases.ts';
import { tokenServiceCases } from '../../../test/issuer/token-service-cases.ts';
import { proveToolsHost } from '../../../test/issuer/tools.ts';
import { type IssuerWorld, startIssuerWorld, type Tokens } from '../../../test/issuer/world.ts';

let world: IssuerWorld;
beforeAll(async () => {
  world = await startIssuerWorld();
  await proveToolsHost(world.server);
  // Consent is on record, so that each refusal has another reason.
  for (const clientId of ['notes', 'journal', 'board', 'tools']) await world.codeOf({ clientId });
  await world.codeOf({ clientId: 'device', changes: { workspace_id: undefined } });
});
afterAll(() => world.close());

const groups = {
  'a redirect URI': redirectCases,
  'an authorization request': authorizationRequestCases,
  'a session or a consent': consentCases,
  'a request for tokens': tokenCases,
  'a client': clientCases,
  'a refresh': refreshCases,
  'an access token': accessTokenCases,
  'a revocation or an introspection': tokenServiceCases,
  // Moves the clock, so it is last.
  'an authority that has ended': endCases,
};

describe.each(Object.entries(groups))('%s', (_, cases) => {
  it.each(cases.map((one) => [one.name, one.source, one] as const))(
    '%s is refused (%s)',
    async (_name, _source, one) => {
      const { attempt, refusals } = one;
      expect(await attempt(world)).toEqual(refusals);
    },
  );
});

describe('the list of refused requests', () => {
  const all = Object.values(groups).flat();

  it('has more than 150 different cases, 40 of them redirect URIs', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(redirectCases.length).toBeGreaterThanOrEqual(40);
  });

  it('names a document and a section for each case, or the page that has the rule', () => {
    const section =
      /^(?:(?:RFC \d{4}|OpenID Connect Core 1\.0|OAuth 2\.0 [A-Z][\w ]+), (?:appendix )?[A-Z\d]|docs\/sign-in-for-apps\.md$)/;
    expect(all.filter(({ source }) => !section.test(source)).map(({ name }) => name)).toEqual([]);
  });

  it('starts from requests that are accepted', async () => {
    for (const clientId of ['notes', 'journal', 'board', 'tools']) {
      const tokens = await world.tokensOf({ clientId, changes: { scope: 'openid offline_access capsules:read' } });
      const refreshed = (await world.refresh(tokens.refresh_token, clientId)).json as Tokens;
      const uses = [await world.userinfo(refreshed.access_token), await world.readApi(refreshed.access_token)];
      expect(uses.map(outcomeOf)).toEqual(['200', '200']);
    }
    const { access_token } = await world.tokensOf();
    expect((await world.introspect(access_token)).json).toMatchObject({ active: true, client_id: 'notes' });
  });
});
