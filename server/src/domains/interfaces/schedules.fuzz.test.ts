import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import { launcherBlueprint } from '../../../test/interface-blueprints.ts';
import { type InterfacesFixture, openInterfacesFixture, specWith } from '../../../test/interfaces-fixture.ts';
import { AppError } from '../../kernel/errors.ts';

/*
 * Random orders of everything that can happen to Interfaces: applies that change, keep or lose Outputs, fail or are followed by a crash
 * before their items are made, blueprints that come and go, destroys, grants, revocations, members who leave, renames, retirements and
 * restarts. After each step the records are compared with a small model of what was applied. A seed reproduces a schedule.
 */

const schedules = depth({ quick: 30, deep: 10_000 });
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

type Outputs = Record<string, unknown>;
type CapsuleModel = {
  id: string;
  status: 'active' | 'error' | 'destroyed';
  /** Values of the current state, and of every committed one by its id. */
  current: Outputs;
  states: Map<string, Outputs>;
  keys: string[];
};
type Play = { random: Random; capsules: CapsuleModel[]; left: Set<string>; members: string[]; log: string[] };
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

const interfacesOf = (play: Play) =>
  f.domain.store.listLive(f.workspaceId).filter(({ name }) => play.capsules.some(({ id }) => name.endsWith(id)));

const create: Step = (play) => {
  const [owner, source] = [someCapsule(play), pick(play.random, play.capsules)];
  if (!owner || !source) return;
  const pointer = pick(play.random, [undefined, '', '/web']);
  const input = { source: 'capsule_output' as const, capsuleId: source.id, outputName: 'url' };
  f.create({
    name: `by-hand-${play.random.below(4)}-${owner.id}`,
    ownerRef: { kind: 'Capsule', id: owner.id },
    spec: specWith({ endpoint: { ...input, ...(pointer !== undefined && { pointer }) } }),
  });
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
  const subjectRef =
    play.random.below(4) === 0
      ? { kind: 'Capsule' as const, id: capsule.id }
      : { kind: 'Principal' as const, id: subject };
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

/** Returns the value that an input selects from the values of the model; undefined when it selects nothing. */
function expectedInput(input: { capsuleId: string; pointer?: string | undefined }, outputs: Outputs): unknown {
  const { url } = outputs;
  if (input.pointer !== '/web') return url;
  return typeof url === 'object' ? (url as { web: string }).web : undefined;
}

function check(play: Play, seen: Map<string, number>): void {
  const capsuleOf = (id: string) => play.capsules.find((one) => one.id === id) as CapsuleModel;
  const names = new Set<string>();
  for (const { id, name, phase, ownerId, spec, resolvedInputs, provenance } of interfacesOf(play)) {
    must(!names.has(name), `two live Interfaces are called ${name}`);
    names.add(name);
    const input = spec.inputs?.['endpoint'];
    if (input?.source !== 'capsule_output') throw new Error('another input');
    const [owner, source] = [capsuleOf(ownerId), capsuleOf(input.capsuleId)];
    const expected = expectedInput(input, source.current);
    const isResolved = owner.status === 'active' && typeof expected === 'string' && /^https:/.test(expected);
    must(owner.status !== 'destroyed', `${name} outlives its Capsule`);
    must((phase === 'Resolved') === isResolved, `${name} is ${phase}`);
    seen.set(phase, (seen.get(phase) ?? 0) + 1);
    if (phase !== 'Resolved') must(resolvedInputs === null && provenance === null, `${name} keeps values`);
    else {
      must(same(resolvedInputs, { endpoint: expected }), `${name} has other values`);
      const from = provenance?.['endpoint'];
      if (from?.source !== 'capsule_output') throw new Error('another provenance');
      const held = source.states.get(from.stateVersionId ?? '');
      must(held !== undefined, `${name} names a StateVersion that was never committed`);
      must(same(expectedInput(input, held ?? {}), expected), `${name} names a StateVersion that held another value`);
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
  for (const { id } of play.capsules) {
    const keys = f.domain.store.listOwned('Capsule', id).flatMap(({ blueprintKey }) => blueprintKey ?? []);
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
  const play: Play = { random, capsules: [], left: new Set(), members: [f.addMember(), f.addMember()], log: [] };
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
    // A test that reaches none of these proves nothing.
    for (const one of ['Resolved', 'NotReady', 'binding Ready', 'binding NotReady'])
      expect(seen.get(one) ?? 0, one).toBeGreaterThan(0);
  });
});
