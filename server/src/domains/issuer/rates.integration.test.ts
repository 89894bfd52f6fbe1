import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rateLimits } from '#shared/limits';
import type { RawAnswer } from '../../../test/harness.ts';
import { basicOf, credentialOf } from '../../../test/issuer/clients.ts';
import { outcomeOf } from '../../../test/issuer/outcome.ts';
import {
  authorizationOf,
  exchangeOf,
  formType,
  type IssuerWorld,
  startIssuerWorld,
} from '../../../test/issuer/world.ts';

const from = (address: string) => ({ 'x-forwarded-for': address });
const attacker = from('198.51.100.1');

let world: IssuerWorld;
beforeEach(async () => {
  world = await startIssuerWorld();
});
afterEach(() => world.close());

async function repeat(times: number, send: () => Promise<RawAnswer>): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (let call = 0; call < times; call += 1) outcomes.add(outcomeOf(await send()));
  return outcomes;
}
const retryOf = ({ headers }: RawAnswer) => Number(headers['retry-after']);
const guess = (path: string, headers: Record<string, string>) =>
  world.post(path, { grant_type: 'refresh_token', refresh_token: 'a', token: 'a' }, { ...formType, ...headers });

describe('the rate of requests', () => {
  it('bounds the guesses of a secret of a client from one address, over all endpoints that take one', async () => {
    const wrong = { ...attacker, authorization: basicOf('notes', 'guessed') };
    const paths = ['/oauth/token', '/oauth/introspect', '/oauth/revoke'];
    let call = 0;
    const outcomes = await repeat(rateLimits.tokenExchange.perAddress, () => {
      call += 1;
      return guess(paths[call % paths.length] ?? '', wrong);
    });
    expect([...outcomes]).toEqual(['401 invalid_client']);
    for (const path of paths) {
      const limited = await guess(path, { ...attacker, ...credentialOf('notes').headers });
      expect(outcomeOf(limited)).toBe('429 rate_limited');
      expect(retryOf(limited)).toBeGreaterThan(0);
      expect(retryOf(limited)).toBeLessThanOrEqual(60);
      expect(limited.headers['cache-control']).toBe('no-store');
      expect(limited.headers.pragma).toBe(path === '/oauth/revoke' ? undefined : 'no-cache');
    }
    // The client itself, at another address, is not locked out.
    const code = await world.codeOf();
    expect(outcomeOf(await world.postAs('notes', '/oauth/token', exchangeOf('notes', code)))).toBe('200');
    world.clock.advance(60_000);
    expect(outcomeOf(await guess('/oauth/token', wrong))).toBe('401 invalid_client');
  });

  it('bounds the authorizations of one address, as a page for a browser', async () => {
    const parameters = { ...authorizationOf('notes', world.server.workspaceId), prompt: 'none' };
    const request = (headers: Record<string, string> = {}) =>
      world.authorize(parameters, {}, { ...attacker, ...headers });
    expect([...(await repeat(rateLimits.authorize.perAddress, request))]).toEqual(['redirect login_required']);
    const limited = await request();
    expect([outcomeOf(limited), retryOf(limited) > 0]).toEqual(['429 rate_limited', true]);
    const page = await request({ accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' });
    expect([outcomeOf(page), retryOf(page) > 0]).toEqual(['429 page', true]);
    expect(outcomeOf(await world.authorize(parameters, {}, from('198.51.100.2')))).toBe('redirect login_required');
  });

  it('counts no request of an endpoint without a secret', async () => {
    const ofKeys = () => world.get('/oauth/jwks', attacker);
    expect([...(await repeat(rateLimits.tokenExchange.perAddress + 1, ofKeys))]).toEqual(['200']);
  });
});
