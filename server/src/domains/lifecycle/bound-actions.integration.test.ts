import { afterEach, describe, expect, it } from 'vitest';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { awsBody, canary } from '../../../test/connection-bodies.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';

const aws = { source: 'registry.opentofu.org/hashicorp/aws', moduleLocalName: 'aws' };
let fixture: ScheduleFixture;
afterEach(() => fixture?.close());

const both = [aws, { ...aws, childAlias: 'west' }];
async function open(lifecycleActions: LifecycleAction[], providers = both) {
  fixture = await openScheduleFixture(heldClock(), { lifecycleActions, providers });
  return { ...playActions(fixture), capsuleId: fixture.makeCapsule().id };
}

/** Binds the default provider to a Connection with a region, and its alias to one without. */
function bind(capsuleId: string): void {
  const { connections, bindings, capsules } = fixture.domains;
  const body = awsBody(fixture.workspaceId);
  const plain = connections.create(body, fixture.owner).id;
  const regional = connections.create(
    { ...body, scopeHints: { providerConfig: { region: 'eu-west-1' } } },
    fixture.owner,
  ).id;
  const binding = { provider: 'hashicorp/aws', moduleLocalName: 'aws' };
  bindings.replace(capsules.getRow(capsuleId), [
    { ...binding, childAlias: 'west', connectionId: plain },
    { ...binding, connectionId: regional },
  ]);
}
const secret = canary('key');

describe('actions of a Run with bindings', () => {
  it('get the settings of every binding, sorted, and no credential', async () => {
    const { applied, capsuleId, scriptOf, rowsOf } = await open([actionOf('a')]);
    bind(capsuleId);
    const id = await applied(capsuleId);
    const { spec } = scriptOf(`${id}.0`);
    expect(JSON.parse(spec.action?.hostEnv['SVC_PROVIDER_CONFIGS_JSON'] ?? '')).toEqual({
      kind: 'svc.provider-configurations@v1',
      providers: [
        { provider: 'registry.opentofu.org/hashicorp/aws', alias: null, configuration: { region: 'eu-west-1' } },
        { provider: 'registry.opentofu.org/hashicorp/aws', alias: 'west', configuration: {} },
      ],
    });
    expect(spec.credentials).toBeUndefined();
    expect(JSON.stringify(spec.action)).not.toContain(secret);
    expect(spec.secrets).toContain(secret);
    expect(JSON.parse(rowsOf(id)[0]?.evidence ?? '')).toEqual({
      outputsDigest: expect.any(String),
      bindingDigest: expect.any(String),
      environmentDigest: expect.any(String),
      providerConfigurationsDigest: expect.any(String),
    });
  });

  it('get the credentials of the Run only when they opt in', async () => {
    const { applied, capsuleId, scriptOf, end } = await open([
      actionOf('a', { useProviderCredentials: true }),
      actionOf('b'),
    ]);
    bind(capsuleId);
    const id = await applied(capsuleId);
    expect(scriptOf(`${id}.0`).spec.credentials).toBeDefined();
    await end(id, 0);
    expect(scriptOf(`${id}.1`).spec.credentials).toBeUndefined();
    await end(id, 1);
    const stored = fixture.db.sqlite.prepare('SELECT count(*) FROM run_credentials').pluck().get();
    expect(stored).toBe(0);
  });
});

describe('the policy of the Workspace', () => {
  const setPolicy = (lifecycleActions: NonNullable<PolicyConfig['lifecycleActions']>) =>
    fixture.db.sqlite.prepare('UPDATE workspaces SET policy = ?').run(JSON.stringify({ lifecycleActions }));
  const none = { allowedExecutors: [], allowedRunnerCapabilities: [] };

  it('that does not allow an action denies the plan', async () => {
    const { input, read, capsuleId } = await open([actionOf('a')], []);
    setPolicy(none);
    const { id } = fixture.domains.plans.createPlan(capsuleId, input());
    await fixture.settle();
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'policy_denied', policyStatus: 'deny' });
  });

  it('that became narrower since the plan refuses the apply', async () => {
    const { planned, apply, capsuleId } = await open([actionOf('a')], []);
    const plan = await planned(capsuleId);
    setPolicy(none);
    await expect(apply(plan.id)).rejects.toMatchObject({ details: { reason: 'policy_denied' } });
  });

  it('does not concern actions of the other phase', async () => {
    const { planned, capsuleId } = await open([actionOf('a', { phase: 'pre_destroy' })], []);
    setPolicy(none);
    expect((await planned(capsuleId)).status).toBe('succeeded');
  });
});
