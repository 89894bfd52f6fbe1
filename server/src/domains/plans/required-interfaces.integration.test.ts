import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Interface, InterfaceBinding } from '#shared/interfaces/contract';
import type { RequiredInterface } from '#shared/interfaces/required';
import type { Run } from '#shared/runs/contract';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { planOutcome } from '../../../test/scripted-runner.ts';

const search: RequiredInterface = {
  key: 'search',
  type: 'mcp.server',
  version: '2025-11-25',
  permissions: ['mcp.invoke'],
  deliveryType: 'oauth2',
};
let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(heldClock(), { requires: [search] });
});
afterEach(() => fixture.close());

let names = 0;
/** An Interface of the Workspace that fits; without an address it is not resolved. */
function offer(version = search.version, pointer = ''): Interface {
  names += 1;
  const { workspaceId, owner, domains } = fixture;
  const inputs =
    pointer === ''
      ? { url: { source: 'literal' as const, value: 'https://search.example.com/' } }
      : { url: { source: 'capsule_output' as const, capsuleId: fixture.makeCapsule().id, outputName: 'none' } };
  const access = { visibility: 'workspace' as const };
  const spec = { type: search.type, version, document: {}, inputs, access };
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  return domains.interfaces.records.create({ workspaceId, name: `Search${names}`, ownerRef, spec }, owner).record;
}
const bindingsOf = ({ id }: Interface): InterfaceBinding[] => fixture.domains.interfaces.bindings.list(id);
async function plan(capsuleId: string, actorId = fixture.owner): Promise<Run> {
  const run = fixture.domains.plans.createPlan(capsuleId, { actorId, tool: scheduleTool });
  await fixture.settle();
  const taken = fixture.runner.startedRuns.get(run.id);
  if (taken) fixture.runner.end(run.id, planOutcome(taken.spec));
  await fixture.settle();
  return fixture.domains.runs.getRun(run.id);
}
const statusAndFault = (run: Run) => [
  run.status,
  run.errorCode,
  fixture.domains.plans.findRequirementFault(run.id)?.code,
];
const failed = (code: string) => ['failed', 'plan_failed', code];
const succeeded = ['succeeded', undefined, undefined];
const originOf = (capsuleId: string) => ({
  source: 'capsule_required_interface',
  capsuleId,
  requirementKey: 'search',
  interfaceType: 'mcp.server',
  interfaceVersion: '2025-11-25',
});
/** A member of the Workspace. */
function join(): string {
  names += 1;
  const { domains, db, workspaceId } = fixture;
  const subject = db.write(() => domains.identity.create({ email: `m${names}@example.com` }));
  const columns = db.sqlite.prepare('SELECT * FROM members WHERE workspace_id = ?').get(workspaceId) as object;
  const row = { ...columns, id: `mem_${names}`, account_id: subject };
  const places = Object.keys(row).map((name) => `@${name}`);
  db.sqlite.prepare(`INSERT INTO members (${Object.keys(row)}) VALUES (${places})`).run(row);
  return subject;
}

describe('a plan of a module that uses an Interface', () => {
  it('binds the account that planned to the only one of its type and version, although tokens are not issued yet', async () => {
    offer('2024-01-01');
    offer(search.version, 'unresolved');
    const only = offer();
    const { id } = fixture.makeCapsule();
    expect(statusAndFault(await plan(id))).toEqual(succeeded);
    expect(bindingsOf(only)).toMatchObject([
      {
        metadata: { materializedFrom: originOf(id) },
        spec: {
          subjectRef: { kind: 'Principal', id: fixture.owner },
          permissions: ['mcp.invoke'],
          delivery: { type: 'oauth2' },
        },
        status: { phase: 'NotReady' },
      },
    ]);
  });

  it('fails with required_interface_missing where none is resolved', async () => {
    const unresolved = offer(search.version, 'unresolved');
    const { id } = fixture.makeCapsule();
    expect(statusAndFault(await plan(id))).toEqual(failed('required_interface_missing'));
    expect(bindingsOf(unresolved)).toEqual([]);
    const found = fixture.domains.runs.feed.listKind((await plan(id)).id, 'diagnostic', { after: 0, limit: 9 });
    expect(found.map(({ payload }) => [payload['severity'], payload['code']])).toEqual([
      ['error', 'required_interface_missing'],
    ]);
  });

  it('fails with required_interface_ambiguous where two fit, and binds neither', async () => {
    const both = [offer(), offer()];
    const { id } = fixture.makeCapsule();
    expect(statusAndFault(await plan(id))).toEqual(failed('required_interface_ambiguous'));
    expect(both.flatMap(bindingsOf)).toEqual([]);
  });

  it('uses the binding that exists when it is planned again, or that a person made', async () => {
    const only = offer();
    const one = fixture.makeCapsule();
    await plan(one.id);
    expect(statusAndFault(await plan(one.id))).toEqual(succeeded);
    expect(statusAndFault(await plan(fixture.makeCapsule().id))).toEqual(succeeded);
    expect(bindingsOf(only)).toHaveLength(1);
  });

  it('fails with required_interface_conflict after its binding was revoked, until a person allows it again', async () => {
    const only = offer();
    const { id } = fixture.makeCapsule();
    await plan(id);
    const { bindings } = fixture.domains.interfaces;
    const [binding] = bindingsOf(only);
    bindings.remove(only.id, binding?.metadata.id ?? '', fixture.owner);
    expect(statusAndFault(await plan(id))).toEqual(failed('required_interface_conflict'));
    const again = binding?.spec as InterfaceBinding['spec'];
    const { subjectRef, permissions, delivery } = again;
    bindings.create(only.id, { subjectRef, permissions, delivery }, fixture.owner);
    expect(statusAndFault(await plan(id))).toEqual(succeeded);
  });

  it('uses the next Interface after the first one was retired', async () => {
    const first = offer();
    const { id } = fixture.makeCapsule();
    await plan(id);
    fixture.domains.interfaces.records.remove(first.id, { actorId: fixture.owner, ifMatch: '*' });
    const next = offer();
    expect(statusAndFault(await plan(id))).toEqual(succeeded);
    expect(bindingsOf(next)).toHaveLength(1);
  });

  it('binds each account that plans, and the account that installed for an automatic plan', async () => {
    const only = offer();
    const { id } = fixture.makeCapsule();
    const member = join();
    await plan(id, member);
    await plan(id, 'system');
    expect(bindingsOf(only).map(({ spec }) => spec.subjectRef.id)).toEqual([member]);
    await plan(id, fixture.owner);
    expect(bindingsOf(only).map(({ spec }) => spec.subjectRef.id)).toEqual([member, fixture.owner]);
  });

  it('fails with required_interface_conflict where the account left while the tool planned', async () => {
    offer();
    expect(statusAndFault(await plan(fixture.makeCapsule().id, 'sub_gone'))).toEqual(
      failed('required_interface_conflict'),
    );
  });

  it('is denied, and binds nothing, where a policy no longer allows the permission', async () => {
    const only = offer();
    const { id } = fixture.makeCapsule();
    const policy = JSON.stringify({ repositoryInstallUx: { allowedInterfacePermissions: ['ui.open'] } });
    fixture.db.sqlite.prepare('UPDATE workspaces SET policy = ?').run(policy);
    const run = await plan(id);
    expect([run.status, run.errorCode]).toEqual(['failed', 'policy_denied']);
    expect(bindingsOf(only)).toEqual([]);
  });

  it('loses its binding when the Capsule is abandoned', async () => {
    const only = offer();
    const { id } = fixture.makeCapsule();
    await plan(id);
    fixture.db.write(() => fixture.domains.capsules.move(id, 'abandon'));
    expect(bindingsOf(only).map(({ status }) => status.phase)).toEqual(['Revoked']);
  });
});

it('shows which Interface a plan would use, without binding it', () => {
  const { required } = fixture.domains.interfaces;
  const listed = () => required.listMatches(fixture.workspaceId, [search]).map(({ interfaces }) => interfaces);
  expect(listed()).toEqual([[]]);
  const only = offer();
  expect(listed()).toEqual([[{ id: only.id, name: only.name }]]);
  offer();
  expect(listed().flat()).toHaveLength(2);
  expect(bindingsOf(only)).toEqual([]);
});
