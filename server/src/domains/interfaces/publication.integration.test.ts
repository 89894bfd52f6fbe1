import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageInterface } from '#shared/form-packages/package';
import { packageLauncher } from '../../../test/interface-blueprints.ts';
import { type InterfacesFixture, openInterfacesFixture, specWith } from '../../../test/interfaces-fixture.ts';

let f: InterfacesFixture;
beforeAll(async () => {
  f = await openInterfacesFixture();
});
afterAll(() => f.close());

let names = 0;
/** A Resource that is published under a name of its own. */
function publish(blueprints: PackageInterface[] = [packageLauncher()], more: { principalId?: string } = {}) {
  names += 1;
  const resourceName = `notes${names}`;
  const resourceId = f.resources.insert();
  f.resources.publish(resourceId, blueprints, { resourceName, ...more });
  return {
    resourceId,
    resourceName,
    again: (next = blueprints) => f.resources.publish(resourceId, next, { resourceName }),
    check: (next: PackageInterface[]) => f.resources.check({ blueprints: next, resourceId, resourceName }),
  };
}
const ownedBy = (id: string) => f.domain.store.listOwned('Resource', id).map((row) => f.read(row.id));
const one = (id: string) => {
  const [only, ...more] = ownedBy(id);
  if (!only || more.length > 0) throw new Error('not exactly one Interface');
  return only;
};
const create = (resourceId: string, name: string, type = 'interface.ui.surface') =>
  f.create({ name, ownerRef: { kind: 'Resource', id: resourceId }, spec: { ...specWith({}), type } });
const actions = (id: string) =>
  f.fixture.db.sqlite
    .prepare('SELECT action, actor_id FROM audit_events WHERE target_id = ? ORDER BY seq')
    .raw()
    .all(id);

describe('the Interfaces of a package', () => {
  it('are Resolved when the Resource is published, named after the Resource, with the bindings of the package', () => {
    const { resourceId, resourceName } = publish();
    const shown = one(resourceId);
    expect(shown).toMatchObject({
      name: `${resourceName}-app`,
      ownerRef: { kind: 'Resource', id: resourceId },
      spec: { inputs: { endpoint: { source: 'resource_output', resourceId, outputName: 'url' } } },
      status: { phase: 'Resolved', resourceUri: 'https://notes.example.com/' },
    });
    const [binding, ...more] = f.bindingsOf(shown.id);
    expect(more).toEqual([]);
    expect(binding?.spec).toMatchObject({ subjectRef: { kind: 'Principal', id: f.owner }, permissions: ['ui.open'] });
    expect(binding?.status.phase).toBe('Ready');
  });

  it('show no origin, and have records of the activity by the account that applied', () => {
    const shown = one(publish().resourceId);
    const [binding] = f.bindingsOf(shown.id);
    expect(shown.metadata).not.toHaveProperty('materializedFrom');
    expect(binding?.metadata).not.toHaveProperty('materializedFrom');
    expect(actions(shown.id)).toEqual([['interface.created', f.owner]]);
    expect(actions(binding?.metadata.id ?? '')).toEqual([['interface_binding.created', f.owner]]);
  });

  it('resolve the Output of the next apply, with the same Interface', () => {
    const { resourceId, again } = publish();
    const before = one(resourceId);
    f.fixture.db.write(() => f.resources.update(resourceId, { url: 'https://b.example' }));
    again();
    const after = one(resourceId);
    expect(after).toMatchObject({ id: before.id, metadata: { generation: 1 }, status: { resolvedRevision: 2 } });
    expect(f.bindingsOf(after.id)).toHaveLength(1);
  });

  it('stay as a person has left them while the package is the same', () => {
    const { resourceId, again } = publish();
    const { id } = one(resourceId);
    f.change(id, { name: `mine-${id}` });
    f.domain.bindings.remove(id, f.bindingsOf(id)[0]?.metadata.id ?? '', f.owner);
    again();
    expect(f.read(id)).toMatchObject({ name: `mine-${id}`, metadata: { generation: 2 } });
    expect(f.bindingsOf(id).map(({ status }) => status.phase)).toEqual(['Revoked']);
    f.retire(id);
    again();
    expect(ownedBy(resourceId)).toEqual([]);
  });

  it('follow a blueprint that has changed, with its bindings; bindings of a person stay', () => {
    const { resourceId, again } = publish();
    const { id } = one(resourceId);
    const ada = f.addMember();
    f.bind(id, { subjectRef: { kind: 'Principal', id: ada } });
    again([packageLauncher({ labels: { team: 'web' }, bindings: [] })]);
    expect(f.read(id)).toMatchObject({ metadata: { generation: 2, labels: { team: 'web' } } });
    expect(f.bindingsOf(id).map(({ spec, status }) => [spec.subjectRef.id, status.phase])).toEqual([
      [f.owner, 'Revoked'],
      [ada, 'Ready'],
    ]);
  });

  it('are retired when the package no longer has them, which makes their names free', () => {
    const { resourceId, again, check } = publish();
    const { id } = one(resourceId);
    const next = [packageLauncher({ key: 'other' })];
    check(next);
    again(next);
    expect(f.read(id).status.phase).toBe('Retired');
    expect(one(resourceId).name).toBe(f.read(id).name);
    again();
    expect(f.read(id).status.phase).toBe('Retired');
    expect(one(resourceId).status.phase).toBe('Resolved');
  });

  it('bind no account that has left since the apply started', () => {
    const ada = f.addMember();
    f.fixture.db.write(() =>
      f.fixture.domains.members.removeMember({ workspaceId: f.workspaceId, accountId: ada, actorId: f.owner }),
    );
    const { resourceId } = publish(undefined, { principalId: ada });
    expect(f.bindingsOf(one(resourceId).id)).toEqual([]);
  });

  it('have a name that starts with a letter when that of the Resource starts with a digit', () => {
    const resourceId = f.resources.insert();
    f.resources.check({ blueprints: [packageLauncher()], resourceName: '1db' });
    f.resources.publish(resourceId, [packageLauncher()], { resourceName: '1db' });
    expect(one(resourceId).name).toBe('r-1db-app');
  });

  it('survive a restart, and are found again', async () => {
    const { resourceId, again } = publish();
    const { id } = one(resourceId);
    await f.fixture.restart();
    again();
    expect(one(resourceId).id).toBe(id);
  });

  it('end with the Resource, and their names are free', () => {
    const { resourceId, resourceName } = publish();
    const { id } = one(resourceId);
    f.resources.delete(resourceId);
    expect(f.read(id).status.phase).toBe('Retired');
    f.resources.check({ blueprints: [packageLauncher()], resourceName });
  });
});

describe('interface_identity_ambiguous', () => {
  const refusal = expect.objectContaining({ code: 'interface_identity_ambiguous', status: 409 });

  it('refuses a new Resource when an Interface of another owner has the name, and writes nothing', () => {
    const { name } = f.create({ name: 'taken-app' });
    const blueprints = [packageLauncher({ key: 'first', name: 'first' }), packageLauncher()];
    expect(() => f.resources.check({ blueprints, resourceName: 'taken' })).toThrow(refusal);
    expect(f.domain.store.findByName(f.workspaceId, 'taken-first')).toBeUndefined();
    expect(name).toBe('taken-app');
  });

  it('leaves out an Interface whose name is taken between check and publication, until the name is free again', () => {
    const { id } = f.create({ name: 'late-app' });
    const blueprints = [packageLauncher(), packageLauncher({ key: 'second', name: 'second' })];
    const resourceId = f.resources.insert({ url: 'https://a.example' });
    const publishLate = () => f.resources.publish(resourceId, blueprints, { resourceName: 'late' });
    publishLate();
    expect(one(resourceId).name).toBe('late-second');
    f.retire(id);
    publishLate();
    expect(ownedBy(resourceId).map(({ name }) => name)).toEqual(['late-second', 'late-app']);
  });

  it('refuses a name that an Interface of another type of the same Resource has', () => {
    const { resourceId, resourceName, check } = publish([]);
    create(resourceId, `${resourceName}-app`, 'mcp.server');
    expect(() => check([packageLauncher()])).toThrow(refusal);
  });

  it('allows the name of the Interface that is published already, and of one that is retired', () => {
    const { check, resourceId } = publish();
    check([packageLauncher()]);
    check([packageLauncher({ labels: { team: 'web' } })]);
    f.retire(one(resourceId).id);
    check([packageLauncher({ labels: { team: 'web' } })]);
  });

  it('allows the same name in another Workspace', () => {
    const { resourceName } = publish();
    f.resources.check({ blueprints: [packageLauncher()], resourceName, workspaceId: f.addWorkspace() });
    expect(() => f.resources.check({ blueprints: [packageLauncher()], resourceName })).toThrow(refusal);
  });
});

describe('interface_instance_ambiguous', () => {
  const refusal = expect.objectContaining({ code: 'interface_instance_ambiguous', status: 409 });

  it('refuses a Resource that owns several Interfaces of the type and version, and writes nothing', () => {
    const { resourceId, check, again } = publish([]);
    for (const name of ['a', 'b']) create(resourceId, `${name}-${resourceId}`);
    expect(() => check([packageLauncher()])).toThrow(refusal);
    again([packageLauncher()]);
    expect(ownedBy(resourceId)).toHaveLength(2);
  });

  it('takes over a single one, which then follows the package', () => {
    const { resourceId, resourceName, check, again } = publish([]);
    const { id } = create(resourceId, `mine-${resourceId}`);
    check([packageLauncher()]);
    again([packageLauncher()]);
    expect(one(resourceId)).toMatchObject({ id, name: `${resourceName}-app`, status: { phase: 'Resolved' } });
    again([]);
    expect(ownedBy(resourceId)).toEqual([]);
  });

  it('does not count Interfaces of another type, or those of other blueprints', () => {
    const { resourceId, check, again } = publish([packageLauncher({ key: 'first', name: 'first' })]);
    create(resourceId, `m-${resourceId}`, 'mcp.server');
    const next = [packageLauncher({ key: 'first', name: 'first' }), packageLauncher()];
    check(next);
    again(next);
    expect(ownedBy(resourceId)).toHaveLength(3);
  });
});

describe('a publication is refused before anything is written', () => {
  const checking = (blueprint: PackageInterface, resourceName = 'refused') =>
    expect(() => f.resources.check({ blueprints: [blueprint], resourceName }));

  it('with 404 when the package names a subject that is not in the Workspace', () => {
    const bindings = (subjectRef: { kind: 'Capsule' | 'Principal' | 'Resource'; id: string }) =>
      packageLauncher({ bindings: [{ key: 'a', permissions: ['ui.open'], delivery: { type: 'none' }, subjectRef }] });
    checking(bindings({ kind: 'Capsule', id: 'cap_none' })).toThrow(expect.objectContaining({ code: 'not_found' }));
    checking(bindings({ kind: 'Principal', id: f.owner })).not.toThrow();
    checking(bindings({ kind: 'Resource', id: f.resources.insert() })).not.toThrow();
  });

  it('with 400 when the name of the Interface has more than 128 characters', () => {
    checking(packageLauncher({ name: 'n'.repeat(65) }), 'r'.repeat(63)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    checking(packageLauncher({ name: 'n'.repeat(64) }), 'r'.repeat(63)).not.toThrow();
  });

  it('with 400 secret_like_value when a literal or a label looks like a credential', () => {
    const secret = expect.objectContaining({ details: expect.objectContaining({ reason: 'secret_like_value' }) });
    const { spec } = packageLauncher();
    checking(packageLauncher({ labels: { team: 'ghp_12345678' } })).toThrow(secret);
    checking(packageLauncher({ spec: { ...spec, document: { key: 'ghp_12345678' } } })).toThrow(secret);
  });
});
