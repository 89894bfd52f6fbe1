import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interface, InterfaceInput } from '#shared/interfaces/contract';
import { type InterfacesFixture, openInterfacesFixture, specWith } from '../../../test/interfaces-fixture.ts';

let f: InterfacesFixture;
beforeAll(async () => {
  f = await openInterfacesFixture();
});
afterAll(() => f.close());

const output = (capsuleId: string, outputName = 'url', pointer?: string): InterfaceInput => ({
  source: 'capsule_output',
  capsuleId,
  outputName,
  ...(pointer !== undefined && { pointer }),
});
/** An Interface that a Capsule owns, and that reads one of its Outputs. */
const launcherOf = (capsuleId: string, input = output(capsuleId)): Interface =>
  f.create({ ownerRef: { kind: 'Capsule', id: capsuleId }, spec: specWith({ endpoint: input }) });
const statusOf = (id: string) => f.read(id).status;
const reasonOf = (id: string) => statusOf(id).conditions?.find(({ type }) => type === 'Resolved')?.reason;
const phaseAndReason = (id: string) => [statusOf(id).phase, reasonOf(id)];
const bindingPhases = (id: string) => f.bindingsOf(id).map(({ status }) => status.phase);
const readiness = (id: string) => f.bindingsOf(id).map(({ status }) => [status.phase, status.conditions?.[0]?.reason]);
const changesOf = () =>
  f.fixture.db.sqlite.prepare("SELECT count(*) FROM outbox WHERE kind = 'interface'").pluck().get();

describe('an Interface of a Capsule', () => {
  it('is resolved from its current Output, with Run, StateVersion, Output and digest', async () => {
    const capsuleId = await f.install({ url: 'https://Notes.example.com' });
    const { status, metadata } = launcherOf(capsuleId);
    const { stateVersion, output: current } = f.fixture.domains.states.getStateVersion(
      f.fixture.domains.capsules.getRow(capsuleId).currentStateVersionId ?? '',
    );
    expect(metadata.generation).toBe(1);
    expect(status).toMatchObject({
      phase: 'Resolved',
      observedGeneration: 1,
      resolvedRevision: 1,
      resolvedInputs: { endpoint: 'https://Notes.example.com' },
      resourceUri: 'https://notes.example.com/',
      provenance: {
        endpoint: {
          runId: stateVersion.createdByRunId,
          stateVersionId: stateVersion.id,
          outputId: current?.id,
          outputDigest: current?.outputDigest,
          outputName: 'url',
        },
      },
    });
    expect(status.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Resolved', 'true'],
      ['Ready', 'true'],
    ]);
  });

  it('resolves a new revision when the selected value changes, and only then', async () => {
    const capsuleId = await f.install({ url: { web: 'https://a.example', other: 1 } });
    const { id, status: first } = launcherOf(capsuleId, output(capsuleId, 'url', '/web'));
    f.bind(id);
    const changes = changesOf();
    await f.apply(capsuleId, { url: { web: 'https://a.example', other: 2 }, more: 'x' });
    expect(statusOf(id)).toEqual(first);
    expect(changesOf()).toBe(changes);
    await f.apply(capsuleId, { url: { web: 'https://b.example', other: 2 } });
    expect(statusOf(id)).toMatchObject({ phase: 'Resolved', resolvedRevision: 2, resourceUri: 'https://b.example/' });
    expect(statusOf(id).provenance).not.toEqual(first.provenance);
    expect(f.bindingsOf(id)[0]?.status).toMatchObject({ phase: 'Ready', observedInterfaceRevision: 2 });
  });

  it('does not move when the Output of another Capsule changes', async () => {
    const capsuleId = await f.install();
    const other = await f.install();
    const before = launcherOf(capsuleId).status;
    const { id } = launcherOf(capsuleId);
    const own = statusOf(id);
    await f.apply(other, { url: 'https://elsewhere.example' });
    expect(statusOf(id)).toEqual(own);
    expect(own.resolvedInputs).toEqual(before.resolvedInputs);
  });

  it('follows the Output of a Capsule that does not own it', async () => {
    const producer = await f.install({ url: 'https://a.example' });
    const { id } = f.create({ spec: specWith({ endpoint: output(producer) }) });
    await f.apply(producer, { url: 'https://b.example' });
    expect(statusOf(id).resolvedInputs).toEqual({ endpoint: 'https://b.example' });
    await f.destroy(producer);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'InvalidResolvedInputs']);
  });

  it('is NotReady, InvalidResolvedInputs, from the apply that removes its Output until one brings it back', async () => {
    const capsuleId = await f.install({ url: 'https://a.example' });
    const { id } = launcherOf(capsuleId);
    f.bind(id);
    await f.apply(capsuleId, {});
    expect(phaseAndReason(id)).toEqual(['NotReady', 'InvalidResolvedInputs']);
    expect(statusOf(id)).not.toHaveProperty('resolvedInputs');
    expect(statusOf(id)).not.toHaveProperty('provenance');
    expect(readiness(id)).toEqual([['NotReady', 'InterfaceNotReady']]);
    await f.apply(capsuleId, { url: 'https://a.example' });
    expect(statusOf(id)).toMatchObject({ phase: 'Resolved', resolvedRevision: 2 });
    expect(bindingPhases(id)).toEqual(['Ready']);
  });

  it('is NotReady, OwnerNotReady, before the first apply of its Capsule', async () => {
    const capsule = f.fixture.makeCapsule();
    const { id } = launcherOf(capsule.id);
    f.bind(id);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
    await f.apply(capsule.id, { url: 'https://a.example' });
    expect(statusOf(id).phase).toBe('Resolved');
    expect(bindingPhases(id)).toEqual(['Ready']);
  });

  it('is NotReady, OwnerNotReady, after an apply that failed', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    await f.apply(capsuleId, { url: 'https://notes.example.com/' }, false);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
  });

  it('is NotReady, RunFailed, when it reads an Output that the failed apply of another Capsule did not reach', async () => {
    const producer = await f.install({ url: 'https://a.example' });
    const { id } = f.create({ spec: specWith({ endpoint: output(producer) }) });
    await f.apply(producer, {}, false);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'RunFailed']);
  });

  it('is NotReady, OwnerNotReady, while its Capsule is disabled', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    f.fixture.domains.capsules.setDisabled(capsuleId, true, f.owner);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
    f.fixture.domains.capsules.setDisabled(capsuleId, false, f.owner);
    expect(statusOf(id).phase).toBe('Resolved');
  });

  it('stays Resolved while its Capsule is stale', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    f.fixture.domains.capsules.move(capsuleId, 'stale');
    expect(statusOf(id).phase).toBe('Resolved');
  });

  it('is NotReady, OwnerNotReady, while its Workspace is archived', async () => {
    const capsuleId = await f.install();
    const launcher = launcherOf(capsuleId);
    const literal = f.create();
    f.addWorkspace();
    const archive = (archived: boolean) =>
      f.fixture.domains.workspaces.updateWorkspace(f.workspaceId, { archived }, f.owner);
    archive(true);
    for (const { id } of [launcher, literal]) expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
    archive(false);
    for (const { id } of [launcher, literal]) expect(statusOf(id).phase).toBe('Resolved');
  });

  it('is Terminating, OwnerDestroyQueued, while its destroy waits or runs, and then Retired with its bindings', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    f.bind(id);
    const run = await f.startDestroy(capsuleId);
    expect(phaseAndReason(id)).toEqual(['Terminating', 'OwnerDestroyQueued']);
    expect(readiness(id)).toEqual([['NotReady', 'InterfaceNotReady']]);
    await f.endApply(run.id, true);
    expect(phaseAndReason(id)).toEqual(['Retired', undefined]);
    expect(bindingPhases(id)).toEqual(['Revoked']);
  });

  it('is evaluated again when the destroy of its Capsule fails, or is cancelled before it started', async () => {
    const failing = await f.install();
    const launcher = launcherOf(failing);
    await f.destroy(failing, false);
    expect(phaseAndReason(launcher.id)).toEqual(['NotReady', 'OwnerNotReady']);

    const cancelled = await f.install();
    const other = launcherOf(cancelled);
    f.bind(other.id);
    const run = await f.startDestroy(cancelled);
    const message = 'Cancelled.';
    f.fixture.runner.end(run.id, { kind: 'failed', errorCode: 'cancelled', message, phase: 'init' });
    await f.fixture.settle();
    expect(phaseAndReason(other.id)).toEqual(['Resolved', undefined]);
    expect(bindingPhases(other.id)).toEqual(['Ready']);
  });

  it('that is created while its destroy is queued is Terminating too', async () => {
    const capsuleId = await f.install();
    const run = await f.startDestroy(capsuleId);
    const { id } = launcherOf(capsuleId);
    expect(phaseAndReason(id)).toEqual(['Terminating', 'OwnerDestroyQueued']);
    await f.endApply(run.id, false);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
  });

  it('that is changed while its destroy is queued stays Terminating, and resolves the new spec afterwards', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    const run = await f.startDestroy(capsuleId);
    const spec = specWith({ endpoint: { source: 'literal', value: 'https://b.example' } });
    f.change(id, { spec });
    expect(phaseAndReason(id)).toEqual(['Terminating', 'OwnerDestroyQueued']);
    const message = 'Cancelled.';
    f.fixture.runner.end(run.id, { kind: 'failed', errorCode: 'cancelled', message, phase: 'init' });
    await f.fixture.settle();
    expect(statusOf(id)).toMatchObject({ phase: 'Resolved', observedGeneration: 2, resourceUri: 'https://b.example/' });
  });

  it('is Unknown, ResolverUnavailable, while its Outputs are not those of the current state', async () => {
    const capsuleId = await f.install();
    const { id } = launcherOf(capsuleId);
    f.bind(id);
    const { sqlite } = f.fixture.db;
    sqlite.prepare('UPDATE outputs SET state_generation = 9 WHERE capsule_id = ?').run(capsuleId);
    f.change(id, { spec: { ...f.read(id).spec, document: { title: 'Other' } } });
    expect(phaseAndReason(id)).toEqual(['Unknown', 'ResolverUnavailable']);
    expect(statusOf(id).conditions?.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(readiness(id)).toEqual([['NotReady', 'InterfaceNotReady']]);
    await f.apply(capsuleId, { url: 'https://notes.example.com/' });
    expect(statusOf(id).phase).toBe('Resolved');
  });
});

describe('a change of an Interface', () => {
  it('of the spec resolves again; of the name or the labels it does not', () => {
    const { id } = f.create();
    f.change(id, { name: 'renamed', labels: { team: 'web' } });
    expect(f.read(id).metadata.generation).toBe(2);
    expect(statusOf(id)).toMatchObject({ phase: 'Resolved', observedGeneration: 2, resolvedRevision: 1 });
    const spec = specWith({ endpoint: { source: 'literal', value: 'https://c.example' } });
    f.change(id, { spec });
    expect(statusOf(id)).toMatchObject({ observedGeneration: 3, resolvedRevision: 2 });
    expect(statusOf(id).provenance).toEqual({ endpoint: { source: 'literal', specGeneration: 3 } });
  });

  it('to what it already is moves no generation', () => {
    const { id, name, spec } = f.create({ labels: { team: 'web' } });
    f.change(id, { name, labels: { team: 'web' }, spec });
    expect(f.read(id).metadata.generation).toBe(1);
    const plain = f.create();
    f.change(plain.id, { labels: {} });
    expect(f.read(plain.id).metadata).toMatchObject({ generation: 1 });
  });

  it('stops following an Output that it no longer reads', async () => {
    const capsuleId = await f.install({ url: 'https://a.example' });
    const { id } = f.create({ spec: specWith({ endpoint: output(capsuleId) }) });
    f.change(id, { spec: specWith({ endpoint: { source: 'literal', value: 'https://c.example' } }) });
    const changes = changesOf();
    await f.apply(capsuleId, { url: 'https://b.example' });
    expect(changesOf()).toBe(changes);
  });
});

describe('a binding', () => {
  it('of a member is revoked when the member leaves, and stays revoked when they come back', () => {
    const ada = f.addMember();
    const { id } = f.create();
    f.bind(id, { subjectRef: { kind: 'Principal', id: ada } });
    f.bind(id);
    const { members } = f.fixture.domains;
    f.fixture.db.write(() => members.removeMember({ workspaceId: f.workspaceId, accountId: ada, actorId: f.owner }));
    expect(bindingPhases(id)).toEqual(['Revoked', 'Ready']);
    f.fixture.db.sqlite.prepare("UPDATE members SET status = 'active' WHERE account_id = ?").run(ada);
    expect(bindingPhases(id)).toEqual(['Revoked', 'Ready']);
  });

  it('of a Capsule is revoked when the Capsule is destroyed', async () => {
    const capsuleId = await f.install();
    const { id } = f.create();
    f.bind(id, { subjectRef: { kind: 'Capsule', id: capsuleId } });
    expect(bindingPhases(id)).toEqual(['Ready']);
    await f.destroy(capsuleId);
    expect(bindingPhases(id)).toEqual(['Revoked']);
  });

  it('is revoked with its Interface, with a record of its own in the activity', () => {
    const { id } = f.create();
    const { metadata } = f.bind(id);
    f.retire(id);
    expect(bindingPhases(id)).toEqual(['Revoked']);
    const actions = 'SELECT action FROM audit_events WHERE target_id IN (?, ?) ORDER BY seq';
    expect(f.fixture.db.sqlite.prepare(actions).pluck().all(id, metadata.id)).toEqual([
      'interface.created',
      'interface_binding.created',
      'interface_binding.revoked',
      'interface.retired',
    ]);
  });

  it('that is revoked can be made again', () => {
    const { id } = f.create();
    const first = f.bind(id);
    f.domain.bindings.remove(id, first.metadata.id, f.owner);
    expect(f.bind(id).status.phase).toBe('Ready');
    expect(bindingPhases(id)).toEqual(['Revoked', 'Ready']);
  });

  it('has sorted permissions, and is equal in any order of them', () => {
    const { id } = f.create();
    expect(f.bind(id, { permissions: ['ui.open', 'a.b'] }).spec.permissions).toEqual(['a.b', 'ui.open']);
    expect(() => f.bind(id, { permissions: ['a.b', 'ui.open'] })).toThrow('The same binding exists');
  });

  it('is revoked once, also when it is revoked again', () => {
    const { id } = f.create();
    const { metadata } = f.bind(id);
    const first = f.domain.bindings.remove(id, metadata.id, f.owner);
    f.clock.advance(1_000);
    expect(f.domain.bindings.remove(id, metadata.id, f.owner)).toEqual(first);
  });
});
