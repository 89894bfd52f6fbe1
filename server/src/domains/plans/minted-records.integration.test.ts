import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import {
  issuedRecipe,
  issueSilently,
  mintedCanary,
  startCredentialService,
  type TestCredentialService,
  writeServiceFiles,
  wrongAnswers,
} from '../../../test/credential-service.ts';
import { heldClock } from '../../../test/harness.ts';
import { acme, mintedRuns, waitFor } from '../../../test/minted-runs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';

const hour = 3_600_000;
let fixture: ScheduleFixture;
let service: TestCredentialService;
let clock: ReturnType<typeof heldClock>;
beforeEach(async () => {
  service = await startCredentialService();
  clock = heldClock(Date.now());
  fixture = await openScheduleFixture(clock, { providers: [acme], credentialAnswerMs: 30_000 });
  writeServiceFiles(fixture.dataDir, { recipe: issuedRecipe('acme', 'ACME_TOKEN', ['acme/cloud']), service });
});
afterEach(async () => {
  await fixture.close();
  await service.close();
});

const { plan, planned, failed, bound, specOf, countRows } = mintedRuns(() => fixture);
const makeBound = (): string => {
  const body = { provider: 'acme/cloud', credentialRecipe: { id: 'acme', authMode: 'issued' }, values: {} };
  return bound(fixture.domains.connections.create(body, 'operator').id);
};
const planBound = (): Run => plan(makeBound());
const tries = () => fixture.db.sqlite.prepare('SELECT tries FROM credential_issuances').pluck().get();
const retryAfter = (ms: number): void => {
  clock.advance(ms);
  fixture.domains.connections.revocations.start();
};

describe('a credential that was issued without an answer', () => {
  /** A Run whose first request issued a credential, and whose repeated request is refused. */
  async function refusedRepeat(): Promise<void> {
    service.post = issueSilently(service);
    const run = planBound();
    await service.arrived('POST', 1);
    await fixture.restart();
    service.post = wrongAnswers.refuses;
    expect((await failed(run)).code).toBe('credential_mint_failed');
    expect(service.issued.size).toBe(1);
    await waitFor(tries).toBe(1);
  }

  it('is revoked once the service names it, although the repeated request was refused', async () => {
    await refusedRepeat();
    retryAfter(hour);
    await waitFor(tries).toBe(2);
    service.post = undefined;
    retryAfter(hour);
    await waitFor(() => countRows('credential_issuances')).toBe(0);
    expect(service.revoked).toEqual(['lease/1']);
  });

  it('is given up after a day of refusals', async () => {
    await refusedRepeat();
    retryAfter(23 * hour);
    await waitFor(tries).toBe(2);
    retryAfter(hour);
    await waitFor(() => countRows('credential_issuances')).toBe(0);
    expect(service.revoked).toEqual([]);
  });
});

it.each([201, 202, 204])('revokes what an answer with status %i may have issued', async (status) => {
  service.post = (response, { headers }) => {
    service.register(String(headers['idempotency-key']));
    response.writeHead(status).end();
  };
  expect(await failed(planBound())).toEqual({
    code: 'credential_mint_failed',
    message: expect.stringContaining(`status ${status}`),
  });
  await waitFor(tries).toBe(1);
  service.post = undefined;
  retryAfter(hour);
  await waitFor(() => countRows('credential_issuances')).toBe(0);
  expect(service.revoked).toEqual(['lease/1']);
});

describe('the credentials of former Runs', () => {
  /** Without a recipe the provider needs no Connection. */
  const deleteRecipe = (): void => fs.rmSync(path.join(fixture.dataDir, 'recipes', 'acme.json'));

  it('are redacted after the bindings of the Capsule are removed', async () => {
    const { bindings, capsules } = fixture.domains;
    const capsuleId = makeBound();
    const former = await planned(capsuleId);
    bindings.replace(capsules.getRow(capsuleId), []);
    deleteRecipe();
    const { credentials } = await specOf(await planned(capsuleId));
    expect(credentials).toEqual({ env: {}, files: [], providers: [], secrets: [mintedCanary(`${former.id}:plan`)] });
    expect(countRows('run_credentials')).toBe(0);
  });

  it('are not those of another Capsule', async () => {
    await planned(makeBound());
    deleteRecipe();
    const other = await planned(fixture.makeCapsule().id);
    expect((await specOf(other)).credentials).toBeUndefined();
  });

  it('are deleted when a Capsule that was never applied is discarded', async () => {
    const capsuleId = makeBound();
    await planned(capsuleId);
    expect(countRows('minted_secrets')).toBe(1);
    fixture.domains.plans.discard(capsuleId, fixture.owner);
    expect(countRows('minted_secrets')).toBe(0);
  });
});
