import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OwnerRef, SubjectRef } from '#shared/interfaces/contract';
import type { JsonObject } from '#shared/kernel/json';
import { depth, isDeep } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import { launcherBlueprint, packageLauncher } from '../../../test/interface-blueprints.ts';
import { type InterfacesFixture, openInterfacesFixture, specWith } from '../../../test/interfaces-fixture.ts';
import {
  type CapsuleModel,
  expectedInput,
  liveResources,
  type Outputs,
  ownerOf,
  type Play,
  sourceOf,
} from '../../../test/interfaces-model.ts';
import { AppError } from '../../kernel/errors.ts';

/*
 * Random orders of everything that can happen to Interfaces: applies that change, keep or lose Outputs, fail or are followed by a crash
 * before their items are made, blueprints that come and go, destroys, Resources that are applied, published and deleted, grants,
 * revocations, members who leave, renames, retirements and restarts. After each step the records are compared with a small model of what was applied. A seed reproduces a schedule.
 */

const schedules = depth({ quick: 15, deep: 10_000 });
const steps = 12;
/** A ledger per group of schedules, so that later schedules are not slowed down by earlier ones. */
const perFixture = 60;
const seed = createRandom().seed;

let f: InterfacesFixture;
beforeAll(async () => {
  // Due items are made only by a step, so that a seed reproduces its schedule.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  f = await openInterfacesFixture();
});
afterAll(async () => {
  vi.useRealTimers();
  await f.close();
});

type Step = (play: Play) => unknown;

const pick = <T>({ below }: Random, list: readonly T[]): T | undefined => list[below(list.length)];
const someCapsule = (play: Play) =>
  pick(
    play.random,
    play.capsules.filter(({ status }) => status !== 'destroyed'),
  );
const values = ['https://a.example', 'https://b.example', 'not a URL', { web: 'https://c.example' }, 7];
const outputsOf = ({ random }: Play): Outputs => {
  const url = pick(random, values);
  return random.below(5) === 0 ? {} : { url, other: random.below(3) };
};

function note(capsule: CapsuleModel, outputs: Outputs, status: CapsuleModel['status']): void {
  const { currentStateVersionId } = f.fixture.domains.capsules.getRow(capsule.id);
  if (currentStateVersionId === null || capsule.states.has(currentStateVersionId)) throw new Error('nothing committed');
  Object.assign(capsule, { status, current: outputs });
  capsule.states.set(currentStateVersionId, outputs);
}

async function applied(capsule: CapsuleModel, outputs: Outputs, succeeded: boolean): Promise<void> {
  await f.apply(capsule.id, outputs, succeeded);
  note(capsule, outputs, succeeded ? 'active' : 'error');
}

const apply: Step = async (play) => {
  const capsule = someCapsule(play);
  if (capsule)
    await applied(capsule, play.random.below(3) === 0 ? capsule.current : outputsOf(play), play.random.below(6) > 0);
};

/** Other blueprints, applied; the process dies before, between or after the items. */
const configure: Step = async (play) => {
  const capsule = someCapsule(play);
  if (!capsule) return;
  const { random } = play;
  const keys = ['ui', 'mcp', 'files'].filter(() => random.below(3) > 0);
  const installer = pick(random, [f.owner, ...play.members]) as string;
  const blueprints = keys.map((key) =>
    launcherBlueprint({ key, name: `${key}-${capsule.id}`, labels: { round: String(random.below(2)) } }),
  );
  f.configure(capsule.id, blueprints, installer);
  await applied(capsule, capsule.current, true);
  capsule.keys = keys;
};

const destroy: Step = async (play) => {
  const capsule = someCapsule(play);
  if (!capsule) return;
  const succeeded = play.random.below(3) > 0;
  await f.destroy(capsule.id, succeeded);
  note(capsule, {}, succeeded ? 'destroyed' : 'error');
};

const interfacesOf = ({ capsules, resources }: Play) =>
  f.domain.store
    .listLive(f.workspaceId)
    .filter(({ ownerId }) => [...capsules, ...resources].some(({ id }) => id === ownerId));

const create: Step = (play) => {
  const { random } = play;
  const ownerRef = someOwner(play);
  if (!ownerRef) return;
  const pointer = pick(random, [undefined, '', '/web']);
  const selector = { outputName: 'url', ...(pointer !== undefined && { pointer }) };
  f.create({
    name: `by-hand-${random.below(4)}-${ownerRef.id}`,
    ownerRef,
    spec: specWith({ endpoint: { ...someSource(play), ...selector } }),
  });
};

function someOwner(play: Play): OwnerRef | undefined {
  const resource = pick(play.random, liveResources(play));
  if (resource && play.random.below(3) === 0) return { kind: 'Resource', id: resource.id };
  const capsule = someCapsule(play);
  return capsule && { kind: 'Capsule', id: capsule.id };
}

/** Also a deleted one, which is refused. */
function someSource({ random, capsules, resources }: Play) {
  const resource = pick(random, resources);
  if (resource && random.below(3) === 0) return { source: 'resource_output' as const, resourceId: resource.id };
  return { source: 'capsule_output' as const, capsuleId: (pick(random, capsules) as CapsuleModel).id };
}

const insertResource: Step = (play) => {
  const generations = [outputsOf(play)];
  play.resources.push({ id: f.resources.insert(generations[0] as JsonObject), isDeleted: false, generations });
};

/** Another Output, or none, with the Interfaces of a package that has changed, or not. */
const applyResource: Step = (play) => {
  const { random } = play;
  const resource = pick(random, liveResources(play));
  if (!resource) return;
  const outputs = random.below(5) === 0 ? null : outputsOf(play);
  f.resources.update(resource.id, outputs as JsonObject | null);
  resource.generations.push(outputs);
  const keys = ['ui', 'mcp'].filter(() => random.below(3) > 0);
  const labels = { round: String(random.below(2)) };
  f.resources.publish(
    resource.id,
    keys.map((key) => packageLauncher({ key, name: key, labels })),
    {
      resourceName: resource.id.toLowerCase().replace('_', '-'),
      principalId: pick(random, [f.owner, ...play.members]) as string,
    },
  );
};

const deleteResource: Step = (play) => {
  const resource = pick(play.random, liveResources(play));
  if (!resource) return;
  f.resources.delete(resource.id);
  resource.isDeleted = true;
};

const rename: Step = (play) => {
  const row = pick(play.random, interfacesOf(play));
  const capsule = pick(play.random, play.capsules);
  if (row && capsule) f.change(row.id, { name: `renamed-${play.random.below(3)}-${capsule.id}` });
};

const retire: Step = (play) => {
  const row = pick(play.random, interfacesOf(play));
  if (row) f.retire(row.id);
};

const grant: Step = (play) => {
  const row = pick(play.random, interfacesOf(play));
  const subject = pick(play.random, [f.owner, ...play.members]) as string;
  const type = pick(play.random, ['none', 'none', 'oauth2', 'workload_token']) as string;
  const capsule = pick(play.random, play.capsules) as CapsuleModel;
  const resource = pick(play.random, play.resources);
  const subjects: SubjectRef[] = [
    { kind: 'Capsule', id: capsule.id },
    ...(resource ? [{ kind: 'Resource' as const, id: resource.id }] : []),
    { kind: 'Principal', id: subject },
    { kind: 'Principal', id: subject },
  ];
  const subjectRef = pick(play.random, subjects) as SubjectRef;
  if (row) f.bind(row.id, { subjectRef, delivery: { type } });
};

const revoke: Step = (play) => {
  const row = pick(play.random, interfacesOf(play));
  const binding = row && pick(play.random, f.bindingsOf(row.id));
  if (row && binding) f.domain.bindings.remove(row.id, binding.metadata.id, f.owner);
};

const leave: Step = (play) => {
  const accountId = pick(play.random, play.members) as string;
  const { members } = f.fixture.domains;
  f.fixture.db.write(() => members.removeMember({ workspaceId: f.workspaceId, accountId, actorId: f.owner }));
  play.left.add(accountId);
};

const sweep: Step = ({ random }) => {
  f.clock.advance(pick(random, [0, 10_000, 3_600_000]) ?? 0);
  f.sweep();
};

/** Makes the next item only, as a process that is killed before the one after it. */
const crash: Step = async ({ random }) => {
  const write = f.fixture.db.write;
  let left = random.below(3);
  f.fixture.db.write = (work) => {
    if (left === 0) throw new Error('the process was killed');
    left -= 1;
    return write(work);
  };
  try {
    f.sweep();
  } finally {
    f.fixture.db.write = write;
  }
  await f.fixture.restart();
};

const restart: Step = () => f.fixture.restart();

const weights: readonly (readonly [string, Step, number])[] = [
  ['apply', apply, 6],
  ['configure', configure, 4],
  ['destroy', destroy, 1],
  ['insert Resource', insertResource, 2],
  ['apply Resource', applyResource, 5],
  ['delete Resource', deleteResource, 1],
  ['create', create, 4],
  ['rename', rename, 2],
  ['retire', retire, 1],
  ['grant', grant, 5],
  ['revoke', revoke, 2],
  ['leave', leave, 1],
  ['sweep', sweep, 6],
  ['crash', crash, 2],
  ['restart', restart, 1],
];
const drawn = weights.flatMap(([name, step, weight]) => Array.from({ length: weight }, () => [name, step] as const));

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`broken: ${what}`);
}
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function check(play: Play, seen: Map<string, number>): void {
  const names = new Set<string>();
  for (const { id, name, phase, ownerId, spec, resolvedInputs, provenance } of interfacesOf(play)) {
    must(!names.has(name), `two live Interfaces are called ${name}`);
    names.add(name);
    const input = spec.inputs?.['endpoint'];
    if (!input || input.source === 'literal') throw new Error('another input');
    const source = sourceOf(play, input);
    const expected = expectedInput(input, source.current);
    const owner = ownerOf(play, ownerId);
    const isResolved = owner === 'live' && typeof expected === 'string' && /^https:/.test(expected);
    must(owner !== 'ended', `${name} outlives its owner`);
    must((phase === 'Resolved') === isResolved, `${name} is ${phase}`);
    seen.set(phase, (seen.get(phase) ?? 0) + 1);
    if (phase !== 'Resolved') must(resolvedInputs === null && provenance === null, `${name} keeps values`);
    else {
      must(same(resolvedInputs, { endpoint: expected }), `${name} has other values`);
      const held = source.findHeld(provenance?.['endpoint']);
      must(held !== undefined, `${name} names a state that was never committed`);
      must(same(expectedInput(input, held ?? {}), expected), `${name} names a state that held another value`);
      if (input.source === 'resource_output') seen.set('of a Resource', (seen.get('of a Resource') ?? 0) + 1);
    }
    checkBindings(play, { id, phase }, seen);
  }
}

function checkBindings(play: Play, row: { id: string; phase: string }, seen: Map<string, number>): void {
  const digests = new Set<string>();
  for (const { spec, status } of f.bindingsOf(row.id)) {
    if (status.phase === 'Revoked') continue;
    const isReady = row.phase === 'Resolved' && spec.delivery.type === 'none';
    must((status.phase === 'Ready') === isReady, `a binding is ${status.phase} of an Interface that is ${row.phase}`);
    must(!play.left.has(spec.subjectRef.id), 'a binding of a member who has left');
    const destroyed = play.capsules.some((one) => one.id === spec.subjectRef.id && one.status === 'destroyed');
    must(!destroyed, 'a binding of a destroyed Capsule');
    const deleted = play.resources.some((one) => one.id === spec.subjectRef.id && one.isDeleted);
    must(!deleted, 'a binding of a deleted Resource');
    const digest = JSON.stringify(spec);
    must(!digests.has(digest), 'two equal live bindings');
    digests.add(digest);
    seen.set(`binding ${status.phase}`, (seen.get(`binding ${status.phase}`) ?? 0) + 1);
  }
}

/** After all attempts every intent is finished, and each key was made at most once. */
function checkIntents(play: Play): void {
  for (let times = 0; times < 5; times += 1) {
    f.clock.advance(3_600_000);
    f.sweep();
  }
  const open = "SELECT count(*) FROM materialization_intents WHERE status = 'pending'";
  must(f.fixture.db.sqlite.prepare(open).pluck().get() === 0, 'an intent was never finished');
  const owners = [
    ...play.capsules.map(({ id }) => ({ kind: 'Capsule' as const, id })),
    ...play.resources.map(({ id }) => ({ kind: 'Resource' as const, id })),
  ];
  for (const { kind, id } of owners) {
    const keys = f.domain.store.listOwned(kind, id).flatMap(({ blueprintKey }) => blueprintKey ?? []);
    must(new Set(keys).size === keys.length, 'a blueprint was made twice');
  }
}

/** A refusal is a valid answer; any other error is a failure. */
async function take(step: Step, play: Play): Promise<void> {
  try {
    await step(play);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal_error') throw error;
    play.log.push(`  ${error.details?.['reason'] ?? error.code}`);
  }
}

async function playSchedule(number: number, seen: Map<string, number>): Promise<void> {
  const random = createRandom((seed + number * 7_919) % 2 ** 31);
  const members = [f.addMember(), f.addMember()];
  const play: Play = { random, capsules: [], resources: [], left: new Set(), members, log: [] };
  for (let count = 0; count < 2; count += 1) {
    const { id } = f.fixture.makeCapsule();
    const capsule: CapsuleModel = { id, status: 'active', current: {}, states: new Map(), keys: [] };
    play.capsules.push(capsule);
    await applied(capsule, { url: 'https://a.example', other: 0 }, true);
  }
  try {
    for (let step = 0; step < steps; step += 1) {
      const [name, work] = pick(random, drawn) as readonly [string, Step];
      play.log.push(name);
      await take(work, play);
      check(play, seen);
    }
    checkIntents(play);
    check(play, seen);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new Error(`GROUNDCTL_TEST_SEED=${seed}, schedule ${number}: ${why}\n${play.log.join('\n')}`, { cause });
  }
  f.fixture.runner.clear();
}

describe(`Interfaces, in any order of events (seed ${seed})`, () => {
  test(`agree with the model in ${schedules} random schedules`, { timeout: 60_000 + schedules * 3_000 }, async () => {
    const seen = new Map<string, number>();
    for (let number = 0; number < schedules; number += 1) {
      if (number > 0 && number % perFixture === 0) {
        await f.close();
        f = await openInterfacesFixture();
      }
      await playSchedule(number, seen);
    }
    // A test that reaches none of these proves nothing; one is too rare to be required of a few schedules.
    const often = ['Resolved', 'NotReady', 'binding Ready', 'binding NotReady'];
    for (const one of isDeep ? [...often, 'of a Resource'] : often) expect(seen.get(one) ?? 0, one).toBeGreaterThan(0);
  });
});
