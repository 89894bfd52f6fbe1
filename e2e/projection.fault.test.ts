import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { installPlanned, startApply, stateVersions } from './fixtures/journey.ts';

const module = `variable "token" {
  type      = string
  sensitive = true
}
resource "terraform_data" "one" {
  input            = "open-text"
  triggers_replace = [nonsensitive(base64encode("user:\${var.token}"))]
}
`;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

it('a server that is killed between a commit and its projection makes it at its next start, with the secrets of the Run', {
  timeout: 120_000,
}, async () => {
  const { url } = harness.repository('projection', { 'main.tf': module });
  const token = `Tk-${randomBytes(9).toString('hex')}`;
  const { capsuleId, plan } = await installPlanned(harness, {
    url,
    name: 'projection',
    variables: { token },
    secretVariables: ['token'],
  });
  await harness.server.restart({ GROUNDCTL_FAILPOINT: 'projection.begin:kill' });
  await startApply(harness, plan).catch(() => undefined);
  await harness.server.gone;
  await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
  const [state] = await stateVersions(harness, capsuleId);
  expect(state?.generation).toBe(1);
  const read = async () =>
    (
      await harness.http.get<{ projection: object; resources: object[] }>(
        `/api/v1/state-versions/${state?.id}/resources`,
      )
    ).body;
  await expect.poll(async () => (await read()).projection, { timeout: 30_000 }).toEqual({ status: 'ready' });
  const { resources } = await read();
  expect(resources).toMatchObject([{ attributes: { triggers_replace: [{ $svc: 'sensitive' }] } }]);
  expect(JSON.stringify(resources)).toContain('open-text');
});
