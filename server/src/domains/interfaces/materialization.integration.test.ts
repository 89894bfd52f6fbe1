import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { Interface } from '#shared/interfaces/contract';
import { launcherBlueprint } from '../../../test/interface-blueprints.ts';
import { type InterfacesFixture, openInterfacesFixture } from '../../../test/interfaces-fixture.ts';

let f: InterfacesFixture;
beforeAll(async () => {
  f = await openInterfacesFixture();
});
afterAll(() => f.close());

let names = 0;
/** A launcher whose name no other test uses. */
const blueprint = (more: Partial<InterfaceBlueprint> = {}): InterfaceBlueprint => {
  names += 1;
  return launcherBlueprint({ name: `notes${names}`, ...more });
};
const outputs = { url: 'https://notes.example.com/' };
const listOf = (capsuleId: string, includeRetired = true): Interface[] =>
  f.domain.records.list(
    { workspaceId: f.workspaceId, ownerKind: 'Capsule', ownerId: capsuleId, includeRetired, limit: 100 },
    undefined,
  ).interfaces;
const phasesOf = (capsuleId: string) => listOf(capsuleId).map(({ name, status }) => [name, status.phase]);
const bindingPhases = (id: string | undefined) => f.bindingsOf(id ?? '').map(({ status }) => status.phase);

/** Applies a Capsule with these blueprints, and makes what is due. */
async function applyWith(capsuleId: string, blueprints: InterfaceBlueprint[], installerId = f.owner): Promise<void> {
  f.configure(capsuleId, blueprints, installerId);
  await f.apply(capsuleId, outputs);
  f.sweep();
}
async function installWith(blueprints: InterfaceBlueprint[], installerId = f.owner): Promise<string> {
  const capsuleId = await f.install(outputs);
  await applyWith(capsuleId, blueprints, installerId);
  return capsuleId;
}
const failuresOf = (capsuleId: string) =>
  f.domain.failures.list(f.workspaceId, 100).filter((one) => one.capsuleId === capsuleId);
/** Lets every attempt of what is open pass. */
function exhaust(): void {
  for (const delay of [0, 10_000, 60_000, 300_000, 1_800_000]) {
    f.clock.advance(delay);
    f.sweep();
  }
}

describe('the first apply', () => {
  it('makes the Interfaces of the configuration and their bindings, with where they come from', async () => {
    const capsuleId = await installWith([blueprint({ key: 'ui', labels: { team: 'web' } })]);
    const [made] = listOf(capsuleId);
    expect(made).toMatchObject({
      ownerRef: { kind: 'Capsule', id: capsuleId },
      metadata: {
        generation: 1,
        labels: { team: 'web' },
        materializedFrom: { source: 'capsule_blueprint', key: 'ui' },
      },
      spec: { inputs: { endpoint: { source: 'capsule_output', capsuleId, outputName: 'url' } } },
      status: { phase: 'Resolved', resolvedInputs: { endpoint: outputs.url } },
    });
    expect(f.bindingsOf(made?.id ?? '')).toMatchObject([
      {
        metadata: { materializedFrom: { source: 'capsule_blueprint', interfaceKey: 'ui', key: 'installer' } },
        spec: { subjectRef: { kind: 'Principal', id: f.owner }, permissions: ['ui.open'] },
        status: { phase: 'Ready' },
      },
    ]);
  });

  it('makes items in the order of the list, each Interface before its bindings', async () => {
    const subjectRef = { kind: 'Principal' as const, id: f.addMember() };
    const bindings = ['one', 'two'].map((key) => ({
      key,
      permissions: [`ui.${key}`],
      delivery: { type: 'none' },
      subjectRef,
    }));
    const list = ['b', 'a'].map((key) => blueprint({ key, bindings }));
    const since = f.fixture.db.sqlite.prepare('SELECT max(seq) FROM audit_events').pluck().get();
    await installWith(list);
    const actions = f.fixture.db.sqlite
      .prepare<[unknown], { action: string; metadata: string }>(
        "SELECT action, metadata FROM audit_events WHERE seq > ? AND action LIKE 'interface%' ORDER BY seq",
      )
      .all(since)
      .map(({ action, metadata }) => {
        const { name, permissions } = JSON.parse(metadata) as { name?: string; permissions?: string[] };
        return [action, name ?? permissions?.[0]];
      });
    const bound = [
      ['interface_binding.created', 'ui.one'],
      ['interface_binding.created', 'ui.two'],
    ];
    expect(actions).toEqual([
      ['interface.created', list[0]?.name],
      ...bound,
      ['interface.created', list[1]?.name],
      ...bound,
    ]);
  });

  it('writes nothing for a configuration without blueprints', async () => {
    const capsuleId = await installWith([]);
    const count = 'SELECT count(*) FROM materialization_intents WHERE capsule_id = ?';
    expect(f.fixture.db.sqlite.prepare(count).pluck().get(capsuleId)).toBe(0);
  });

  it('that fails makes nothing', async () => {
    const capsuleId = await f.install(outputs);
    f.configure(capsuleId, [blueprint()]);
    await f.apply(capsuleId, outputs, false);
    f.sweep();
    expect(listOf(capsuleId)).toEqual([]);
  });
});

describe('on a later apply, a key that is present with an unchanged blueprint', () => {
  it('changes nothing', async () => {
    const list = [blueprint()];
    const capsuleId = await installWith(list);
    const before = listOf(capsuleId);
    f.clock.advance(1_000);
    await applyWith(capsuleId, list);
    expect(listOf(capsuleId)).toEqual(before);
    expect(bindingPhases(before[0]?.id)).toEqual(['Ready']);
  });

  it('changes nothing when a person has edited the Interface', async () => {
    const list = [blueprint()];
    const capsuleId = await installWith(list);
    const { id } = listOf(capsuleId)[0] as Interface;
    const edited = f.change(id, { name: `edited${names}`, labels: { mine: 'yes' } });
    await applyWith(capsuleId, list);
    expect(listOf(capsuleId)).toEqual([edited]);
  });

  it('changes nothing when a person has deleted the Interface', async () => {
    const list = [blueprint()];
    const capsuleId = await installWith(list);
    f.retire(listOf(capsuleId)[0]?.id ?? '');
    for (let times = 0; times < 2; times += 1) await applyWith(capsuleId, list);
    expect(phasesOf(capsuleId)).toEqual([[list[0]?.name, 'Retired']]);
  });

  it('changes nothing when a person has revoked the binding', async () => {
    const list = [blueprint()];
    const capsuleId = await installWith(list);
    const { id } = listOf(capsuleId)[0] as Interface;
    f.domain.bindings.remove(id, f.bindingsOf(id)[0]?.metadata.id ?? '', f.owner);
    await applyWith(capsuleId, list);
    expect(bindingPhases(id)).toEqual(['Revoked']);
  });
});

describe('on a later apply, a key that is present with a changed blueprint', () => {
  it('replaces spec, name and labels, one generation later, also over what a person edited', async () => {
    const list = [blueprint({ labels: { team: 'web' } })];
    const capsuleId = await installWith(list);
    const { id } = listOf(capsuleId)[0] as Interface;
    f.change(id, { labels: { mine: 'yes' } });
    const changed = blueprint({ labels: { team: 'shop' } });
    await applyWith(capsuleId, [changed]);
    expect(listOf(capsuleId)).toMatchObject([
      { id, name: changed.name, metadata: { generation: 3, labels: { team: 'shop' } }, status: { phase: 'Resolved' } },
    ]);
    await applyWith(capsuleId, [{ ...changed, labels: undefined } as InterfaceBlueprint]);
    expect(Object.keys(f.read(id).metadata.labels ?? {})).toEqual([]);
  });

  it('makes a deleted Interface again', async () => {
    const first = blueprint();
    const capsuleId = await installWith([first]);
    f.retire(listOf(capsuleId)[0]?.id ?? '');
    const changed = { ...first, labels: { team: 'shop' } };
    await applyWith(capsuleId, [changed]);
    expect(phasesOf(capsuleId)).toEqual([
      [first.name, 'Retired'],
      [first.name, 'Resolved'],
    ]);
    expect(bindingPhases(listOf(capsuleId, false)[0]?.id)).toEqual(['Ready']);
    await applyWith(capsuleId, [changed]);
    expect(listOf(capsuleId)).toHaveLength(2);
  });

  it('brings its bindings to it, and leaves those of people', async () => {
    const [ada, grace] = [f.addMember(), f.addMember()];
    const bindingOf = (key: string, id: string, permission = 'ui.open') => ({
      key,
      permissions: [permission],
      delivery: { type: 'none' },
      subjectRef: { kind: 'Principal' as const, id },
    });
    const first = blueprint({ bindings: [bindingOf('ada', ada), bindingOf('grace', grace)] });
    const capsuleId = await installWith([first]);
    const { id } = listOf(capsuleId)[0] as Interface;
    f.bind(id);
    await applyWith(capsuleId, [{ ...first, bindings: [bindingOf('ada', ada, 'ui.edit')] }]);
    const live = f.bindingsOf(id).filter(({ status }) => status.phase !== 'Revoked');
    expect(live.map(({ spec }) => [spec.subjectRef.id, spec.permissions]).sort()).toEqual(
      [
        [f.owner, ['ui.open']],
        [ada, ['ui.edit']],
      ].sort(),
    );
    expect(f.read(id).metadata.generation).toBe(1);
  });

  it('makes a binding again that a person has revoked', async () => {
    const first = blueprint();
    const capsuleId = await installWith([first]);
    const { id } = listOf(capsuleId)[0] as Interface;
    f.domain.bindings.remove(id, f.bindingsOf(id)[0]?.metadata.id ?? '', f.owner);
    await applyWith(capsuleId, [{ ...first, labels: { team: 'shop' } }]);
    expect(bindingPhases(id)).toEqual(['Revoked', 'Ready']);
  });

  it('uses an equal binding that a person made', async () => {
    const first = blueprint({ bindings: [] });
    const capsuleId = await installWith([first]);
    const { id } = listOf(capsuleId)[0] as Interface;
    const own = f.bind(id);
    await applyWith(capsuleId, [{ ...first, bindings: launcherBlueprint().bindings }]);
    expect(f.bindingsOf(id).map(({ metadata }) => metadata.id)).toEqual([own.metadata.id]);
    await applyWith(capsuleId, [first]);
    expect(bindingPhases(id)).toEqual(['Ready']);
  });
});

describe('on a later apply, a key that is gone', () => {
  it('is retired with its bindings, and frees its name for another key of the same apply', async () => {
    const first = blueprint();
    const capsuleId = await installWith([first]);
    const { id } = listOf(capsuleId)[0] as Interface;
    await applyWith(capsuleId, [{ ...first, key: 'other' }]);
    expect(phasesOf(capsuleId)).toEqual([
      [first.name, 'Retired'],
      [first.name, 'Resolved'],
    ]);
    expect(bindingPhases(id)).toEqual(['Revoked']);
  });

  it('is made again when it comes back, and only then', async () => {
    const first = blueprint();
    const capsuleId = await installWith([first]);
    await applyWith(capsuleId, []);
    const retired = listOf(capsuleId);
    f.clock.advance(1_000);
    await applyWith(capsuleId, []);
    expect(listOf(capsuleId)).toEqual(retired);
    await applyWith(capsuleId, [first]);
    expect(phasesOf(capsuleId).map(([, phase]) => phase)).toEqual(['Retired', 'Resolved']);
  });

  it('leaves the records of earlier Interfaces of the key as they are', async () => {
    const first = blueprint();
    const capsuleId = await installWith([first]);
    f.retire(listOf(capsuleId)[0]?.id ?? '');
    await applyWith(capsuleId, [{ ...first, labels: { team: 'shop' } }]);
    await applyWith(capsuleId, []);
    const retired = listOf(capsuleId);
    const count = 'SELECT count(*) FROM materialization_intents WHERE capsule_id = ?';
    const intents = f.fixture.db.sqlite.prepare(count).pluck().get(capsuleId);
    f.clock.advance(1_000);
    await applyWith(capsuleId, []);
    expect(listOf(capsuleId)).toEqual(retired);
    expect(f.fixture.db.sqlite.prepare(count).pluck().get(capsuleId)).toBe(intents);
  });
});

describe('the installing Principal', () => {
  it('is the account that the configuration names', async () => {
    const ada = f.addMember();
    const capsuleId = await installWith([blueprint()], ada);
    const { id } = listOf(capsuleId)[0] as Interface;
    expect(f.bindingsOf(id)[0]?.spec.subjectRef).toEqual({ kind: 'Principal', id: ada });
  });

  it('must be an active member when the item is made', async () => {
    const notMember = 'sub_unknown';
    const capsuleId = await installWith([blueprint()], notMember);
    exhaust();
    expect(failuresOf(capsuleId)).toMatchObject([
      { error: { code: 'installing_principal_unavailable' }, nextItemIndex: 1, totalItems: 2, attempts: 5 },
    ]);
    expect(phasesOf(capsuleId).map(([, phase]) => phase)).toEqual(['Resolved']);
  });
});

describe('an item that cannot be made', () => {
  it('is tried after 0 s, 10 s, 1 min, 5 min and 30 min, and then is a failure without values', async () => {
    const taken = f.create();
    const capsuleId = await installWith([blueprint({ name: taken.name })]);
    const attempts = () =>
      f.fixture.db.sqlite
        .prepare('SELECT attempts FROM materialization_intents WHERE capsule_id = ? ORDER BY seq DESC')
        .pluck()
        .get(capsuleId);
    for (const [index, delay] of [10_000, 60_000, 300_000, 1_800_000].entries()) {
      expect(attempts()).toBe(index + 1);
      f.clock.advance(delay - 1);
      f.sweep();
      expect(attempts()).toBe(index + 1);
      expect(failuresOf(capsuleId)).toEqual([]);
      f.clock.advance(1);
      f.sweep();
    }
    expect(attempts()).toBe(5);
    const row = f.fixture.domains.capsules.getRow(capsuleId);
    expect(failuresOf(capsuleId)).toEqual([
      {
        id: expect.stringMatching(/^cimi_/),
        capsuleId,
        stateVersionId: row.currentStateVersionId,
        outputId: expect.any(String),
        stateGeneration: row.currentStateGeneration,
        blueprintsDigest: expect.stringMatching(/^sha256:/),
        totalItems: 2,
        nextItemIndex: 0,
        attempts: 5,
        error: {
          code: 'interface_name_conflict',
          detailDigest: expect.stringMatching(/^sha256:/),
          recordedAt: new Date(f.clock.now()).toISOString(),
        },
        deadLetteredAt: new Date(f.clock.now()).toISOString(),
        failureDigest: expect.stringMatching(/^sha256:/),
      },
    ]);
    exhaust();
    expect(attempts()).toBe(5);
  });

  it('because its named subject is unknown fails with subject_unavailable', async () => {
    const subjectRef = { kind: 'Principal' as const, id: 'sub_unknown' };
    const bindings = [{ key: 'a', permissions: ['ui.open'], delivery: { type: 'none' }, subjectRef }];
    const capsuleId = await installWith([blueprint({ bindings })]);
    exhaust();
    expect(failuresOf(capsuleId)).toMatchObject([{ error: { code: 'subject_unavailable' } }]);
  });

  it('because its document holds a secret fails with interface_document_refused, and repeats nothing', async () => {
    const { spec } = launcherBlueprint();
    const capsuleId = await installWith([blueprint({ spec: { ...spec, document: { note: 'ghp_12345678abc' } } })]);
    exhaust();
    expect(failuresOf(capsuleId)).toMatchObject([{ error: { code: 'interface_document_refused' } }]);
    expect(JSON.stringify(failuresOf(capsuleId))).not.toContain('ghp_');
  });

  it('does not keep the Interfaces of another Capsule waiting', async () => {
    const taken = f.create();
    const stuck = await f.install(outputs);
    f.configure(stuck, [blueprint({ name: taken.name })]);
    await f.apply(stuck, outputs);
    const other = await f.install(outputs);
    f.configure(other, [blueprint()]);
    await f.apply(other, outputs);
    f.sweep();
    expect(listOf(stuck)).toEqual([]);
    expect(listOf(other)).toHaveLength(1);
  });

  it('is replaced by a newer apply, which makes what the earlier one could not', async () => {
    const ada = f.addMember();
    const suspend = (status: string) =>
      f.fixture.db.sqlite.prepare('UPDATE members SET status = ? WHERE account_id = ?').run(status, ada);
    suspend('suspended');
    const list = [blueprint()];
    const capsuleId = await installWith(list, ada);
    exhaust();
    expect(failuresOf(capsuleId)).toHaveLength(1);
    suspend('active');
    await applyWith(capsuleId, list, ada);
    expect(failuresOf(capsuleId)).toEqual([]);
    expect(bindingPhases(listOf(capsuleId)[0]?.id)).toEqual(['Ready']);
  });

  it('is given up when its Capsule is destroyed', async () => {
    const taken = f.create();
    const capsuleId = await installWith([blueprint({ name: taken.name })]);
    await f.destroy(capsuleId);
    exhaust();
    expect(failuresOf(capsuleId)).toEqual([]);
    expect(listOf(capsuleId)).toEqual([]);
  });
});

describe('a retry', () => {
  async function failed() {
    const taken = f.create();
    const list = [blueprint(), blueprint({ key: 'second', name: taken.name })];
    const capsuleId = await installWith(list);
    exhaust();
    const [failure] = failuresOf(capsuleId);
    if (!failure) throw new Error('nothing has failed');
    const { failureDigest, stateVersionId, stateGeneration } = failure;
    return { taken, capsuleId, failure, input: { failureDigest, stateVersionId, stateGeneration } };
  }
  const retry = (id: string, input: Parameters<InterfacesFixture['domain']['failures']['retry']>[2]['input']) =>
    f.domain.failures.retry(f.workspaceId, id, { input, actorId: f.owner });
  const reasonOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      const { code, details } = error as { code?: string; details?: { reason?: string } };
      return details?.reason ?? code;
    }
  };

  it('starts again at the item that failed, with all attempts, and makes each item once', async () => {
    const { taken, capsuleId, failure, input } = await failed();
    f.retire(taken.id);
    expect(retry(failure.id, input)).toEqual({
      id: failure.id,
      capsuleId,
      stateVersionId: failure.stateVersionId,
      stateGeneration: failure.stateGeneration,
      blueprintsDigest: failure.blueprintsDigest,
      status: 'pending',
      nextItemIndex: 2,
      totalItems: 4,
      nextRetryAt: new Date(f.clock.now()).toISOString(),
    });
    f.sweep();
    expect(failuresOf(capsuleId)).toEqual([]);
    expect(phasesOf(capsuleId).map(([, phase]) => phase)).toEqual(['Resolved', 'Resolved']);
    for (const { id } of listOf(capsuleId)) expect(bindingPhases(id)).toEqual(['Ready']);
  });

  it('publishes the Capsule, as the failure does', async () => {
    const { capsuleId, failure, input } = await failed();
    const published = () =>
      f.fixture.db.sqlite
        .prepare("SELECT count(*) FROM outbox WHERE kind = 'capsule' AND record_id = ?")
        .pluck()
        .get(capsuleId) as number;
    const before = published();
    retry(failure.id, input);
    expect(published()).toBe(before + 1);
    exhaust();
    expect(failuresOf(capsuleId)).toHaveLength(1);
    expect(published()).toBe(before + 2);
  });

  it('that cannot be made either ends as a failure with another digest', async () => {
    const { capsuleId, failure, input } = await failed();
    f.clock.advance(1_000);
    retry(failure.id, input);
    exhaust();
    const [again] = failuresOf(capsuleId);
    expect(again).toMatchObject({ id: failure.id, attempts: 5, nextItemIndex: 2 });
    expect(again?.failureDigest).not.toBe(failure.failureDigest);
    expect(reasonOf(() => retry(failure.id, input))).toBe('failure_fence_moved');
  });

  it('is refused with failure_fence_moved for another digest, StateVersion or generation', async () => {
    const { failure, input } = await failed();
    for (const other of [
      { failureDigest: failure.blueprintsDigest },
      { stateVersionId: 'state_other' },
      { stateGeneration: failure.stateGeneration + 1 },
    ])
      expect(reasonOf(() => retry(failure.id, { ...input, ...other }))).toBe('failure_fence_moved');
    expect(failuresOf(failure.capsuleId)).toEqual([failure]);
  });

  it('is refused with failure_fence_moved after an apply that failed, because the state is another one', async () => {
    const { capsuleId, failure, input } = await failed();
    await f.apply(capsuleId, {}, false);
    expect(reasonOf(() => retry(failure.id, input))).toBe('failure_fence_moved');
  });

  it('is refused with 404 for an unknown failure, one of another Workspace, and a second time', async () => {
    const { failure, input } = await failed();
    expect(reasonOf(() => retry('cimi_none', input))).toBe('not_found');
    const elsewhere = f.addWorkspace();
    const foreign = () => f.domain.failures.retry(elsewhere, failure.id, { input, actorId: f.owner });
    expect(reasonOf(foreign)).toBe('not_found');
    retry(failure.id, input);
    expect(reasonOf(() => retry(failure.id, input))).toBe('not_found');
  });
});
