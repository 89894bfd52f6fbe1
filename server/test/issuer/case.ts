import type { RawAnswer } from '../harness.ts';
import { credentialOf } from './clients.ts';
import { locationOf, outcomeOf, parametersOf } from './outcome.ts';
import { authorizationOf, type Changes, changed, exchangeOf, type Fields, type IssuerWorld } from './world.ts';

/** A request that the issuer must refuse. */
export type NegativeCase = {
  name: string;
  /** Document and section that require the refusal. */
  source: string;
  /** Requests, whose results are compared with `refusals`. */
  attempt: (world: IssuerWorld) => Promise<readonly string[]>;
  refusals: readonly string[];
};

type Row<Sent> = readonly [name: string, source: string, sent: Sent, ...refusals: string[]];
type Attempt = NegativeCase['attempt'];

/** Creates cases that need several requests each. */
export const casesOf = (rows: readonly Row<Attempt>[]): NegativeCase[] =>
  rows.map(([name, source, attempt, ...refusals]) => ({ name, source, attempt, refusals }));

/** Reports whether an answer at the redirect lacks the one state of its request (RFC 6749, 4.1.2.1). */
function hasLostState(query: Fields | string, answer: RawAnswer): boolean {
  const [state, ...more] = new URLSearchParams(query).getAll('state');
  if (!outcomeOf(answer).startsWith('redirect') || !state || more.length > 0) return false;
  return parametersOf(locationOf(answer)).get('state') !== state;
}

/** Creates cases of one changed parameter, or of text that is appended to the query of a valid request. */
export const authorizationCases = (rows: readonly Row<Changes | string>[], clientId = 'notes'): NegativeCase[] =>
  rows.map(([name, source, sent, ...refusals]) => ({
    name,
    source,
    refusals,
    attempt: async (world) => {
      const valid = authorizationOf(clientId, world.server.workspaceId);
      const query = typeof sent === 'string' ? `${new URLSearchParams(valid)}&${sent}` : changed(valid, sent);
      const answer = await world.authorize(query, await world.owner());
      return [`${outcomeOf(answer)}${hasLostState(query, answer) ? ' without its state' : ''}`];
    },
  }));

/** Parts of a request for tokens that a case changes. */
type TokenRequest = {
  form?: Changes;
  append?: string;
  body?: string;
  headers?: Changes;
  method?: string;
  query?: string;
};

/** Creates cases of one changed part of the request that exchanges a code; the credential stands in `headers` or `form`. */
export const exchangeCases = (rows: readonly Row<TokenRequest>[], clientId = 'notes'): NegativeCase[] =>
  rows.map(([name, source, sent, ...refusals]) => ({
    name,
    source,
    refusals,
    attempt: async (world) => {
      const { headers, form } = credentialOf(clientId);
      const code = await world.codeOf({ clientId });
      const fields: Fields = changed({ ...exchangeOf(clientId, code), ...form }, sent.form ?? {});
      const body = sent.body ?? `${new URLSearchParams(fields)}${sent.append ?? ''}`;
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const method = sent.method ?? 'POST';
      const answer = await world.send({
        method,
        path: `/oauth/token${sent.query ?? ''}`,
        headers: changed({ ...type, ...headers }, sent.headers ?? {}),
        ...(method !== 'GET' && { body }),
      });
      return [outcomeOf(answer)];
    },
  }));
