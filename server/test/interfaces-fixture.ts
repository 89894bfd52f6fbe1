import type { PackageInterface } from '#shared/form-packages/package';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { Interface, InterfaceBinding, InterfaceInput, OwnerRef } from '#shared/interfaces/contract';
import type { JsonObject } from '#shared/kernel/json';
import type { Role } from '#shared/permissions';
import { createFormResourcesStore } from '../src/domains/form-resources/index.ts';
import { accounts } from '../src/domains/identity/schema.ts';
import {
  createInterfaces,
  type InterfacesDomain,
  type PublicationInput,
  type PublishInput,
} from '../src/domains/interfaces/index.ts';
import { members } from '../src/domains/workspaces/schema.ts';
import { newId } from '../src/kernel/ids.ts';
import { createLog } from '../src/kernel/log.ts';
import { openGate } from '../src/kernel/work-gate.ts';
import { createFormResourceRows } from './form-resource-rows.ts';
import { heldClock } from './harness.ts';
import { openScheduleFixture, type ScheduleFixture } from './schedule-fixture.ts';
import { applyOutcome } from './scripted-runner.ts';
import { addWorkspace } from './second-workspace.ts';
import { playRuns } from './simulated-runs.ts';

export type InterfacesFixture = Awaited<ReturnType<typeof openInterfacesFixture>>;
type CreateInput = Parameters<InterfacesDomain['records']['create']>[0];
type BindInput = Parameters<InterfacesDomain['bindings']['create']>[1];

type Parts = { fixture: ScheduleFixture; runs: ReturnType<typeof playRuns>; clock: ReturnType<typeof heldClock> };

/** Interfaces over real Capsules, Runs and members in this process; supervisors are simulated. */
export async function openInterfacesFixture() {
  const clock = heldClock();
  const fixture = await openScheduleFixture(clock);
  const parts = { fixture, runs: playRuns(fixture), clock };
  return {
    ...parts,
    owner: fixture.owner,
    workspaceId: fixture.workspaceId,
    get domain() {
      return fixture.domains.interfaces;
    },
    ...peopleOf(parts),
    ...recordsOf(parts),
    ...capsulesOf(parts),
    resources: resourcesOf(parts),
    /** Makes every item that is due, without waiting for a timer. */
    sweep: (): void => fixture.domains.interfaces.materialization.start(),
    /** Interfaces of a server that issues tokens, on the same ledger. Changes of Capsules do not reach it. */
    issuing: (isManagedHostname: (capsuleId: string, hostname: string) => boolean = () => true): InterfacesDomain => {
      const { shared, activity, workspaces, capsules, states } = fixture.domains;
      const ports = { ...shared, workGate: openGate, log: createLog('silent'), activity, workspaces, capsules, states };
      return createInterfaces({
        ...ports,
        formResources: createFormResourcesStore(fixture.db),
        isManagedHostname,
        findHostnameHolder: () => undefined,
        findConfiguration: () => ({ updatedAt: 0, blueprints: [], principalId: '' }),
        isDestroyQueued: () => false,
        hasIssuer: () => true,
      });
    },
    async close(): Promise<void> {
      await fixture.domains.interfaces.materialization.stop();
      await fixture.close();
    },
  };
}

const peopleOf = ({ fixture: { db, workspaceId, owner }, clock }: Parts) => ({
  /** An account that is a member of the Workspace. */
  addMember(role: Role = 'member', inWorkspace = workspaceId): string {
    const id = newId('account');
    const stamps = { createdAt: clock.now(), updatedAt: clock.now() };
    db.orm.insert(accounts).values({ id, createdAt: stamps.createdAt }).run();
    const member = { id: newId('member'), workspaceId: inWorkspace, accountId: id, role, status: 'active' as const };
    db.orm
      .insert(members)
      .values({ ...member, ...stamps })
      .run();
    return id;
  },
  addWorkspace: (): string => addWorkspace(db, [owner]),
});

/** A launcher with these inputs; `endpoint` is its resource URI where it has one. */
export const specWith = (inputs: Record<string, InterfaceInput>): CreateInput['spec'] => ({
  type: 'interface.ui.surface',
  version: '1',
  document: {},
  inputs: inputs as CreateInput['spec']['inputs'],
  access: { visibility: 'workspace', ...(Object.hasOwn(inputs, 'endpoint') && { resourceUriInput: 'endpoint' }) },
});

function recordsOf({ fixture }: Parts) {
  const { owner, workspaceId } = fixture;
  const domain = () => fixture.domains.interfaces;
  const any = { actorId: owner, ifMatch: '*' };
  let names = 0;
  return {
    /** An Interface of the Workspace with a literal address, or as specified. */
    create: (more: Partial<CreateInput> = {}, { records } = domain()): Interface => {
      names += 1;
      const ownerRef: OwnerRef = { kind: 'Workspace', id: workspaceId };
      const spec = specWith({ endpoint: { source: 'literal', value: `https://host${names}.example/` } });
      return records.create({ workspaceId, name: `i${names}`, ownerRef, spec, ...more }, owner).record;
    },
    change: (id: string, patch: Parameters<InterfacesDomain['records']['update']>[1]): Interface =>
      domain().records.update(id, patch, any).record,
    retire: (id: string, { records } = domain()): Interface => records.remove(id, any).record,
    read: (id: string): Interface => domain().records.get(id).record,
    bind: (
      id: string,
      { subjectRef = { kind: 'Principal', id: owner }, ...more }: Partial<BindInput> = {},
      { bindings } = domain(),
    ): InterfaceBinding => {
      const input = { subjectRef, permissions: ['ui.open'], delivery: { type: 'none' }, ...more };
      return bindings.create(id, input as BindInput, owner);
    },
    bindingsOf: (id: string): InterfaceBinding[] => domain().bindings.list(id),
  };
}

function capsulesOf({ fixture, runs }: Parts) {
  async function apply(capsuleId: string, outputs: Record<string, unknown>, succeeded = true) {
    const plan = await runs.endPlan(fixture.domains.plans.createPlan(capsuleId, runs.createInput()).id);
    const values = Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]);
    return runs.applyPlan(plan.id, Object.fromEntries(values), succeeded);
  }

  /** Starts the destroy of a Capsule, which then runs. */
  async function startDestroy(capsuleId: string) {
    const plan = fixture.domains.plans.createPlan(capsuleId, { ...runs.createInput(), type: 'destroy_plan' });
    await runs.endPlan(plan.id);
    fixture.domains.plans.approve(plan.id, { actorId: fixture.owner });
    const { run } = fixture.domains.applies.apply(plan.id, runs.createInput());
    await fixture.settle();
    return run;
  }

  async function endApply(runId: string, succeeded: boolean): Promise<void> {
    const identity = { pid: 2, startTime: '', bootId: '' };
    fixture.runner.say(runId, { t: 'spawned', at: 0, command: 'apply', identity });
    fixture.runner.end(runId, applyOutcome(runs.specOf(runId), succeeded));
    await fixture.settle();
  }

  return {
    apply,
    startDestroy,
    endApply,
    /** A Capsule that was applied with these values as Outputs. */
    async install(outputs: Record<string, unknown> = { url: 'https://notes.example.com/' }): Promise<string> {
      const { id } = fixture.makeCapsule();
      await apply(id, outputs);
      return id;
    },
    /** Destroys a Capsule; the destroy fails on request. */
    destroy: async (capsuleId: string, succeeded = true): Promise<void> =>
      endApply((await startDestroy(capsuleId)).id, succeeded),
    configure: (capsuleId: string, blueprints: InterfaceBlueprint[], installerId = fixture.owner): void =>
      configure(fixture, capsuleId, { blueprints, installerId }),
  };
}

/** Resources of the form host, whose changes Interfaces follow as in the transactions of the form host. */
function resourcesOf({ fixture }: Parts) {
  const { db, owner, workspaceId: ownWorkspace } = fixture;
  const rows = createFormResourceRows(db, owner);
  const following = () => fixture.domains.interfaces.resources;
  return {
    insert: (outputs: JsonObject | null = { url: 'https://notes.example.com/' }, workspaceId = ownWorkspace): string =>
      rows.insert(workspaceId, outputs),
    update: (id: string, outputs: JsonObject | null): void =>
      db.write(() => {
        rows.update(id, outputs);
        following().moved(id);
      }),
    delete: (resourceId: string, workspaceId = ownWorkspace): void =>
      db.write(() => {
        rows.delete(resourceId);
        following().deleted({ workspaceId, resourceId }, { actorId: owner });
      }),
    check: (input: Partial<PublicationInput> & Pick<PublicationInput, 'blueprints'>): void =>
      following().checkPublication({
        workspaceId: ownWorkspace,
        resourceId: undefined,
        resourceName: 'notes',
        ...input,
      }),
    publish: (resourceId: string, blueprints: PackageInterface[], more: Partial<PublishInput> = {}): void =>
      db.write(() => {
        const input = { workspaceId: ownWorkspace, resourceId, resourceName: 'notes', blueprints, principalId: owner };
        following().publish({ ...input, ...more });
      }),
  };
}

/** Replaces the blueprints of a Capsule's configuration, as a configuration plan does. */
function configure(
  { domains: { configs, capsules }, db }: ScheduleFixture,
  capsuleId: string,
  { blueprints, installerId }: { blueprints: InterfaceBlueprint[]; installerId: string },
): void {
  db.write(() => {
    const { installConfigId, executionAuthorityEpoch } = capsules.getRow(capsuleId);
    const { provenance } = configs.getPrivate(installConfigId);
    const next = configs.succeed(installConfigId, {
      seed: `${installConfigId} ${executionAuthorityEpoch}`,
      provenance: { ...provenance, installerId },
      variables: {},
      secretVariables: [],
      parts: { interfaceBlueprints: blueprints },
    });
    const { authorityGuard } = capsules.getGuarded(capsuleId).installConfigReAdoption;
    capsules.rebind(capsuleId, { authorityGuard, installConfigId: next.id });
  });
}
