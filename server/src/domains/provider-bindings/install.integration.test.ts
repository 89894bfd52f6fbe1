import { describe, expect, test } from 'vitest';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import {
  bind,
  bindingsOf,
  commit,
  connect,
  finish,
  type InstallInput,
  inspectSource,
  planIn,
  post,
  preflighted,
  refusalOf,
  region,
  repository,
  requestInstall,
  requestOf,
  resolved,
  serveBindings,
  server,
  statusesOf,
} from '../../../test/bindings-fixture.ts';
import { awsBody, genericBody, gitBody } from '../../../test/connection-bodies.ts';

serveBindings();

describe('an installation with Connections', () => {
  test('from a preflight starts with its Capsule, plans the inspected commit, and keeps the bindings', async () => {
    const connectionId = await connect();
    const request = await preflighted([bind(connectionId), bind(connectionId, { childAlias: 'west' })]);
    const first = await post(request);
    expect(first.status).toBe(201);
    expect(planIn(first)).toMatchObject({ phase: 'creating_capsule', preflight: request.preflight });
    expect((await post(request)).status).toBe(200);
    // The branch advances before the plan.
    repository.commit({ 'other.tf': 'output "b" { value = 1 }\n' });
    const plan = await finish(planIn(first).id);
    expect(plan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'plan_run_failed' },
      sourceSnapshotId: request.preflight?.sourceSnapshotId,
      compatibilityReportId: request.preflight?.compatibilityReportId,
    });
    expect(plan.sourceSyncRunId).toBeUndefined();
    const { run } = (await server.api.getRun({ params: { runId: plan.planRunId ?? '' } })).body;
    expect(run).toMatchObject({ resolvedCommit: commit, sourceSnapshotId: request.preflight?.sourceSnapshotId });
    expect(statusesOf(run.providerResolutions)).toEqual([resolved, resolved]);
    const { runs } = (await server.api.listRuns({ params: { workspaceId: server.workspaceId } })).body;
    expect(runs.find(({ id }) => id === run.id)).not.toHaveProperty('providerResolutions');
    const capsuleId = plan.capsuleId ?? '';
    const bindingsBody = await bindingsOf(capsuleId);
    expect(bindingsBody.providerBindingSet).toMatchObject({
      id: expect.stringMatching(/^dpf_[0-9A-Z]{26}$/),
      capsuleId,
      environment: 'test',
      bindings: request.options?.providerBindings,
    });
    expect(statusesOf(bindingsBody.providerResolutions)).toEqual([resolved, resolved]);
    expect(bindingsBody.reach?.envNames).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(
      events.find(({ action, targetId }) => action === 'install_plan.created' && targetId === plan.id),
    ).toMatchObject({
      metadata: { providerBindings: request.options?.providerBindings },
    });
    const { capsules } = (await server.api.listBoundCapsules({ params: { connectionId } })).body;
    expect(capsules).toMatchObject([{ capsuleId, status: 'pending', bindings: request.options?.providerBindings }]);
    // The module's variable without a default got its value from the Connection.
    const inputs = server.ledger((db) =>
      db.sqlite.prepare("SELECT input ->> '$.bound.inputs' FROM runs WHERE id = ?").pluck().get(run.id),
    );
    expect(inputs).toBe(JSON.stringify(region.moduleInputDefaults));
  });

  test('from the full commit id completes', async () => {
    const providerBindings = [bind(await connect())];
    const answer = await requestInstall({ ref: commit, options: { modulePath: '.', providerBindings } });
    expect(answer.status).toBe(201);
    const plan = await finish(planIn(answer).id);
    expect((await bindingsOf(plan.capsuleId ?? '')).providerBindingSet?.bindings).toEqual(providerBindings);
  });

  test('is refused for a branch or tag', async () => {
    const providerBindings = [bind(await connect())];
    for (const ref of ['main', commit.slice(0, 12)])
      expect(refusalOf(await requestInstall({ ref, options: { providerBindings } }))).toEqual([
        400,
        'preflight_required',
        { field: '/options/providerBindings' },
      ]);
    expect((await requestInstall({ ref: 'main', options: { providerBindings: [] } })).status).toBe(201);
  });

  test('is refused at once, with the field and why, and without a submitted value', async () => {
    const id = await connect();
    const field = '/options/providerBindings';
    const refused = async (bindings: ProviderBinding[]) => refusalOf(await post(await preflighted(bindings)));
    expect(await refused([bind(id), bind(id, { provider: 'hashicorp/aws' })])).toEqual([
      400,
      'provider_binding_duplicate',
      { field: `${field}/1` },
    ]);
    expect(await refused([bind(id, { childAlias: 'east' })])).toEqual([
      400,
      'provider_binding_mismatch',
      { field: `${field}/0`, why: 'tuple' },
    ]);
    const generic = await connect(genericBody(server.workspaceId));
    expect(await refused([bind(generic)])).toEqual([
      400,
      'provider_binding_mismatch',
      { field: `${field}/0/connectionId`, why: 'connection_provider' },
    ]);
    const gone = await connect();
    await server.api.revokeConnection({ params: { connectionId: gone } });
    const whys = { revoked: gone, git: await connect(gitBody(server.workspaceId)), missing: 'conn_00000000' };
    for (const [why, connectionId] of Object.entries(whys))
      expect(await refused([bind(id, { childAlias: 'west' }), bind(connectionId)])).toEqual([
        409,
        'provider_connection_not_ready',
        { field: `${field}/1/connectionId`, why },
      ]);
    const [status, reason, details] = await refused([]);
    expect([status, reason, details['why']]).toEqual([409, 'provider_connection_setup_required', 'required']);
    expect(details).toMatchObject({ moduleLocalName: 'aws' });
  });

  test('is refused for a member, who may install without any', async () => {
    const { token } = await server.join('member');
    const request = await preflighted([bind(await connect())]);
    expect(refusalOf(await post(request, token)).slice(0, 2)).toEqual([403, 'forbidden']);
    const bare = requestOf({ options: { modulePath: 'two', providerBindings: [] } });
    expect((await post(bare, token)).status).toBe(201);
  });

  test('checks the variables with a preflight at once, and accepts those that a Connection sets', async () => {
    const request = async (bindings: ProviderBinding[], variables: Record<string, never | number>) =>
      refusalOf(await post(await preflighted(bindings, { variables })));
    const bare = await connect(awsBody(server.workspaceId));
    expect(await request([bind(bare)], {})).toEqual([400, 'install_variable_required', { field: '/variables/region' }]);
    expect(await request([bind(bare)], { other: 1 })).toEqual([
      400,
      'install_variable_invalid',
      { field: '/variables/other' },
    ]);
    expect((await request([bind(await connect())], {}))[0]).toBe(201);
  });

  test('with an outdated preflight ends at its first step with the reason', async () => {
    const preflight = await inspectSource();
    const id = await connect();
    const options = { providerBindings: [bind(id)] };
    const endOf = async (more: InstallInput) => {
      const answer = await requestInstall({ preflight, options, ...more });
      expect(answer.status).toBe(201);
      const plan = await finish(planIn(answer).id);
      expect(plan.capsuleId).toBeUndefined();
      return plan.diagnostic?.code;
    };
    const none = '0'.repeat(26);
    expect(await endOf({ preflight: { ...preflight, sourceId: `src_${none}` } })).toBe('source_identity_changed');
    expect(await endOf({ preflight: { ...preflight, sourceSnapshotId: `snap_${none}` } })).toBe(
      'source_snapshot_not_found',
    );
    expect(await endOf({ ref: 'other' })).toBe('source_snapshot_scope_mismatch');
    expect(await endOf({ preflight: { ...preflight, compatibilityCheckRunId: `ccr_${none}` } })).toBe(
      'compatibility_evidence_incomplete',
    );
    expect(await endOf({ preflight: { ...preflight, compatibilityReportId: `caprep_${none}` } })).toBe(
      'compatibility_evidence_incomplete',
    );
    const params = { sourceId: preflight.sourceId };
    const body = { sourceSnapshotId: preflight.sourceSnapshotId, modulePath: 'two' };
    const other = (await server.api.checkCompatibility({ params, body })).body;
    const conflict = 'compatibility_evidence_identity_conflict';
    expect(await endOf({ preflight: { ...preflight, compatibilityCheckRunId: other.run.id } })).toBe(conflict);
    expect(await endOf({ options: { ...options, modulePath: 'two' } })).toBe(conflict);
    const changed = 'install_preflight_config_identity_changed';
    expect(await endOf({ preflight: { ...preflight, installConfigId: 'icfg_0000000000000000' } })).toBe(changed);
    const incomplete = { ...preflight } as Partial<typeof preflight>;
    delete incomplete.compatibilityReportId;
    expect((await requestInstall({ preflight: incomplete as typeof preflight })).status).toBe(400);
  });

  test('whose Connection is revoked before the Capsule is created leaves no Capsule behind', async () => {
    const connectionId = await connect();
    const answer = await post(await preflighted([bind(connectionId)]));
    await server.api.revokeConnection({ params: { connectionId } });
    const plan = await finish(planIn(answer).id);
    expect(plan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'install_plan_failed', reason: 'provider_connection_not_ready' },
    });
    expect(plan.capsuleId).toBeUndefined();
  });
});
