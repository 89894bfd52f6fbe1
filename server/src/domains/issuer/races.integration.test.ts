import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timesOf } from '../../../../e2e/fixtures/depth.ts';
import type { RawAnswer } from '../../../test/harness.ts';
import { outcomeOf } from '../../../test/issuer/outcome.ts';
import {
  exchangeOf,
  type IssuerWorld,
  type Person,
  startIssuerWorld,
  type Tokens,
} from '../../../test/issuer/world.ts';

const times = timesOf({ quick: 12, deep: 1_000 });
const clientIds = ['notes', 'journal', 'board'];

let world: IssuerWorld;
let person: Person;
beforeAll(async () => {
  world = await startIssuerWorld();
  person = await world.owner();
});
afterAll(() => world.close());

/** Checks that at most one request won, that the others are `invalid_grant`, and that no token of them is usable. */
async function expectNothingUsable(answers: readonly RawAnswer[], clientId: string): Promise<void> {
  const outcomes = answers.map(outcomeOf);
  expect(outcomes.filter((one) => one === '200').length).toBeLessThanOrEqual(1);
  expect(outcomes.filter((one) => one !== '200' && one !== '400 invalid_grant')).toEqual([]);
  for (const { json } of answers.filter(({ status }) => status === 200)) {
    const { access_token: access, refresh_token: next } = json as Tokens;
    const uses = [await world.userinfo(access), await world.readApi(access), await world.refresh(next, clientId)];
    expect(uses.map(outcomeOf)).toEqual(['401 invalid_token', '401 invalid_token', '400 invalid_grant']);
  }
}

/** Runs many races, each at the next client and with a few more requests than the last one. */
async function race(requestsOf: (clientId: string, contenders: number) => Promise<readonly Promise<RawAnswer>[]>) {
  for (let round = 0; round < times; round += 1) {
    const clientId = clientIds[round % clientIds.length] ?? '';
    const requests = await requestsOf(clientId, 2 + (round % 4));
    await expectNothingUsable(await Promise.all(requests), clientId);
  }
}
const changes = { scope: 'openid offline_access capsules:read' };
const repeat = <T>(count: number, create: () => T): T[] => Array.from({ length: count }, create);

describe(`each of ${times} races`, { timeout: 240_000 }, () => {
  it('for one refresh token has at most one winner, and leaves nothing usable of its chain', async () => {
    await race(async (clientId, contenders) => {
      const { refresh_token: token } = await world.tokensOf({ clientId, person, changes });
      return repeat(contenders, () => world.refresh(token, clientId));
    });
  });

  it('for one code has at most one winner, and leaves nothing usable of it', async () => {
    await race(async (clientId, contenders) => {
      const form = exchangeOf(clientId, await world.codeOf({ clientId, person, changes }));
      return repeat(contenders, () => world.postAs(clientId, '/oauth/token', form));
    });
  });

  it('between a refresh and a revocation leaves nothing usable', async () => {
    await race(async (clientId) => {
      const { refresh_token: token } = await world.tokensOf({ clientId, person, changes });
      const refresh = world.refresh(token, clientId);
      const revoked = world.postAs(clientId, '/oauth/revoke', { token });
      return [revoked.then(() => refresh)];
    });
  });

  it('between a refresh and the second use of its code leaves nothing usable', async () => {
    await race(async (clientId) => {
      const form = exchangeOf(clientId, await world.codeOf({ clientId, person, changes }));
      const { refresh_token: token } = (await world.postAs(clientId, '/oauth/token', form)).json as Tokens;
      return [world.refresh(token, clientId), world.postAs(clientId, '/oauth/token', form)];
    });
  });
});
