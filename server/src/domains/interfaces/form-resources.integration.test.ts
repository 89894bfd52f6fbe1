import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interface, InterfaceInput } from '#shared/interfaces/contract';
import { type InterfacesFixture, openInterfacesFixture, specWith } from '../../../test/interfaces-fixture.ts';

let f: InterfacesFixture;
let otherWorkspace = '';
beforeAll(async () => {
  f = await openInterfacesFixture();
  otherWorkspace = f.addWorkspace();
});
afterAll(() => f.close());

const output = (resourceId: string, outputName = 'url'): InterfaceInput => ({
  source: 'resource_output',
  resourceId,
  outputName,
});
const owned = (resourceId: string, endpoint: InterfaceInput = output(resourceId)): Interface =>
  f.create({ ownerRef: { kind: 'Resource', id: resourceId }, spec: specWith({ endpoint }) });
const reading = (resourceId: string): Interface => f.create({ spec: specWith({ endpoint: output(resourceId) }) });
const statusOf = (id: string) => f.read(id).status;
const phaseAndReason = (id: string) => {
  const { phase, conditions } = statusOf(id);
  return [phase, conditions?.find(({ type }) => type === 'Resolved')?.reason];
};
const bindingPhases = (id: string) => f.bindingsOf(id).map(({ status }) => status.phase);
const changes = () => f.fixture.db.sqlite.prepare("SELECT count(*) FROM outbox WHERE kind = 'interface'").pluck().get();
const actionsOf = (...ids: string[]) =>
  f.fixture.db.sqlite
    .prepare(`SELECT action FROM audit_events WHERE target_id IN (${ids.map(() => '?').join()}) ORDER BY seq`)
    .pluck()
    .all(...ids);
const archive = (archived: boolean) =>
  f.fixture.domains.workspaces.updateWorkspace(f.workspaceId, { archived }, f.owner);

describe('an owner of kind Resource', () => {
  it('is 404 when it is unknown or deleted, and 403 when it belongs to another Workspace', () => {
    const deleted = f.resources.insert();
    f.resources.delete(deleted);
    const foreign = f.resources.insert({}, otherWorkspace);
    const literal: InterfaceInput = { source: 'literal', value: 'https://a.example' };
    for (const id of ['res_none', deleted])
      expect(() => owned(id, literal)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }));
    expect(() => owned(foreign, literal)).toThrow(expect.objectContaining({ code: 'forbidden', status: 403 }));
  });

  it('is live while the Resource is present, also without its native object', () => {
    const resourceId = f.resources.insert(null);
    const { id } = owned(resourceId, { source: 'literal', value: 'https://a.example' });
    f.bind(id);
    expect(phaseAndReason(id)).toEqual(['Resolved', undefined]);
    expect(bindingPhases(id)).toEqual(['Ready']);
  });

  it('is not ready, OwnerNotReady, while its Workspace is archived, and resolves again afterwards', () => {
    const { id } = owned(f.resources.insert());
    archive(true);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'OwnerNotReady']);
    archive(false);
    expect(phaseAndReason(id)).toEqual(['Resolved', undefined]);
  });

  it('retires its Interfaces with their bindings when the Resource is deleted, with records of the activity', () => {
    const resourceId = f.resources.insert();
    const { id } = owned(resourceId);
    const { metadata } = f.bind(id);
    f.resources.delete(resourceId);
    expect(statusOf(id)).toMatchObject({ phase: 'Retired' });
    expect(bindingPhases(id)).toEqual(['Revoked']);
    expect(actionsOf(id, metadata.id)).toEqual([
      'interface.created',
      'interface_binding.created',
      'interface_binding.revoked',
      'interface.retired',
    ]);
  });

  it('is a filter of the list', () => {
    const resourceId = f.resources.insert();
    const { id } = owned(resourceId);
    const query = { workspaceId: f.workspaceId, ownerKind: 'Resource' as const, ownerId: resourceId, limit: 10 };
    expect(f.domain.records.list(query, f.owner).interfaces.map((one) => one.id)).toEqual([id]);
  });

  it('can have a proof of a hostname, which ends with the Resource', () => {
    const ownerRef = { kind: 'Resource' as const, id: f.resources.insert() };
    f.domain.proofs.create(f.workspaceId, { hostname: 'notes.example.com', ownerRef }, f.owner);
    expect(f.domain.proofs.list(f.workspaceId)).toMatchObject([{ ownerRef }]);
    f.resources.delete(ownerRef.id);
    expect(f.domain.proofs.list(f.workspaceId)).toEqual([]);
  });
});

describe('a subject of kind Resource', () => {
  it('is 404 when it is unknown, deleted or of another Workspace', () => {
    const { id } = f.create();
    const deleted = f.resources.insert();
    f.resources.delete(deleted);
    for (const subject of ['res_none', deleted, f.resources.insert({}, otherWorkspace)])
      expect(() => f.bind(id, { subjectRef: { kind: 'Resource', id: subject } })).toThrow(
        expect.objectContaining({ code: 'not_found', status: 404 }),
      );
  });

  it('is ready with the Interface, and revoked when the Resource is deleted', () => {
    const { id } = f.create();
    const subject = f.resources.insert();
    f.bind(id, { subjectRef: { kind: 'Resource', id: subject } });
    f.bind(id);
    expect(bindingPhases(id)).toEqual(['Ready', 'Ready']);
    f.resources.delete(subject);
    expect(bindingPhases(id)).toEqual(['Revoked', 'Ready']);
  });

  it('is not issued tokens', () => {
    const { id } = f.create();
    const subjectRef = { kind: 'Resource' as const, id: f.resources.insert() };
    const binding = f.bind(id, { subjectRef, delivery: { type: 'oauth2' } }, f.issuing());
    expect(binding.status.conditions?.[0]?.reason).toBe('OAuthResourceUnauthorized');
  });
});

describe('an input of source resource_output', () => {
  it('is 404 for a Resource that is unknown, and 403 for one of another Workspace', () => {
    expect(() => reading('res_none')).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }));
    const foreign = f.resources.insert({}, otherWorkspace);
    expect(() => reading(foreign)).toThrow(expect.objectContaining({ code: 'forbidden', status: 403 }));
    const { id } = f.create();
    expect(() => f.change(id, { spec: specWith({ endpoint: output(foreign) }) })).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });

  it('is resolved with Resource and generation as provenance', () => {
    const resourceId = f.resources.insert({ url: 'https://A.example' });
    const { status } = reading(resourceId);
    expect(status).toMatchObject({
      phase: 'Resolved',
      resolvedRevision: 1,
      resolvedInputs: { endpoint: 'https://A.example' },
      resourceUri: 'https://a.example/',
    });
    expect(status.provenance).toEqual({
      endpoint: { source: 'resource_output', resourceId, resourceGeneration: 1, outputName: 'url' },
    });
  });

  it('resolves a new revision when the selected value changes, and only then', () => {
    const resourceId = f.resources.insert({ url: 'https://a.example', size: 1 });
    const { id, status: first } = reading(resourceId);
    f.bind(id);
    const before = changes();
    f.resources.update(resourceId, { url: 'https://a.example', size: 2 });
    expect(statusOf(id)).toEqual(first);
    expect(changes()).toBe(before);
    f.resources.update(resourceId, { url: 'https://b.example', size: 2 });
    expect(statusOf(id)).toMatchObject({
      phase: 'Resolved',
      resolvedRevision: 2,
      provenance: { endpoint: { resourceGeneration: 3 } },
    });
    expect(f.bindingsOf(id)[0]?.status).toMatchObject({ phase: 'Ready', observedInterfaceRevision: 2 });
  });

  it('does not move when another Resource changes, nor after the Interface stopped reading it', () => {
    const [resourceId, other] = [f.resources.insert(), f.resources.insert()];
    const { id } = reading(resourceId);
    const before = statusOf(id);
    f.resources.update(other, { url: 'https://b.example' });
    expect(statusOf(id)).toEqual(before);
    f.change(id, { spec: specWith({ endpoint: { source: 'literal', value: 'https://c.example' } }) });
    const writes = changes();
    f.resources.update(resourceId, { url: 'https://d.example' });
    expect(changes()).toBe(writes);
  });

  it('is NotReady, InvalidResolvedInputs, while the member or the native object is missing', () => {
    const resourceId = f.resources.insert();
    const { id } = reading(resourceId);
    for (const outputs of [{}, null, { url: 'ghp_12345678' }]) {
      f.resources.update(resourceId, outputs);
      expect(phaseAndReason(id)).toEqual(['NotReady', 'InvalidResolvedInputs']);
      expect(statusOf(id)).not.toHaveProperty('resolvedInputs');
    }
    f.resources.update(resourceId, { url: 'https://a.example' });
    expect(phaseAndReason(id)).toEqual(['Resolved', undefined]);
  });

  it('is NotReady, InvalidResolvedInputs, after the Resource was deleted', () => {
    const resourceId = f.resources.insert();
    const { id } = reading(resourceId);
    f.bind(id);
    f.resources.delete(resourceId);
    expect(phaseAndReason(id)).toEqual(['NotReady', 'InvalidResolvedInputs']);
    expect(bindingPhases(id)).toEqual(['NotReady']);
  });

  it('finds its Interfaces through an index', () => {
    const plan = f.fixture.db.sqlite
      .prepare('EXPLAIN QUERY PLAN SELECT interface_id FROM interface_resource_sources WHERE resource_id = ?')
      .all('res_1') as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('interface_resource_sources_resource (resource_id=?)'),
    ]);
  });
});

describe('ui-surfaces', () => {
  const listed = (capsuleId?: string) =>
    f.domain
      .listUiSurfaces(
        { workspaceId: f.workspaceId, principalId: f.owner },
        { limit: 100, ...(capsuleId !== undefined && { capsuleId }) },
      )
      .interfaces.map(({ id, launcherOwner }) => [id, launcherOwner]);

  it('names the Capsule whose Output holds the address of a launcher of a Resource', async () => {
    const capsuleId = await f.install();
    const endpoint: InterfaceInput = { source: 'capsule_output', capsuleId, outputName: 'url' };
    const { id } = owned(f.resources.insert(), endpoint);
    const own = f.create({ ownerRef: { kind: 'Capsule', id: capsuleId }, spec: specWith({ endpoint }) });
    for (const one of [id, own.id]) f.bind(one);
    const launcherOwner = { capsuleId };
    expect(listed()).toEqual(expect.arrayContaining([[id, launcherOwner]]));
    expect(listed(capsuleId)).toEqual([
      [id, launcherOwner],
      [own.id, undefined],
    ]);
  });

  it('names no Capsule for a launcher of a Resource that holds its address itself', () => {
    const { id } = owned(f.resources.insert());
    f.bind(id);
    expect(listed()).toEqual(expect.arrayContaining([[id, undefined]]));
  });
});
