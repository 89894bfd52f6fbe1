import { afterAll, describe, expect, it } from 'vitest';
import { projectPlan } from '#server/drivers/tofu/index';
import { writeJson } from '#shared/kernel/exact-number';
import type { Json, JsonObject } from '#shared/kernel/json';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../e2e/fixtures/random.ts';
import { type Canaries, canary, copies, createCanaries, open, pick, shownForms } from '../../test/canaries.ts';
import { createMutants, type Mutation } from '../../test/mutants.ts';
import { createCopyTest } from '../runner/contract/redaction/copies.ts';
import { createRedactor } from '../runner/contract/redaction/redactor.ts';
import { redactDocument } from './reporting/redact-document.ts';
import { createValueDigest } from './value-digest.ts';

/*
 * Generated plans with secrets in every place where the tool or a provider can put one. The oracle does not know how
 * masks are read: it knows which texts it planted, and looks for them in the document that people review.
 */

const plans = depth({ quick: 100, deep: 10_000 });

/** A side of a change: its value, and the tool's mask. */
type Built = { value: JsonObject; mask: Json };

/** Places of a secret. */
const places: { readonly [name: string]: (world: Canaries) => Built } = {
  'a schema attribute': (world) => ({
    value: { password: canary(world), name: open(world) },
    mask: { password: true },
  }),
  'a nested attribute': (world) => ({
    value: { auth: { basic: { password: canary(world), user: open(world) } } },
    mask: { auth: { basic: { password: true } } },
  }),
  'a block in a list': (world) => ({
    value: { disk: [{ key: open(world) }, { key: canary(world), label: open(world) }] },
    mask: { disk: [{}, { key: true }] },
  }),
  'a whole set': (world) => ({ value: { users: [{ a: canary(world) }, { a: canary(world) }] }, mask: { users: true } }),
  'an element of a set': (world) => ({ value: { set: [{ a: canary(world) }] }, mask: { set: [{ a: true }] } }),
  'a whole object': (world) => ({
    value: { data: { one: canary(world), two: [canary(world)] }, note: open(world) },
    mask: { data: true },
  }),
  'a value of dynamic type': (world) => ({
    value: { input: { value: { token: canary(world) }, type: open(world) } },
    mask: { input: { value: { token: true } } },
  }),
  'the key of a marked map': (world) => {
    const key = canary(world);
    return { value: { map: { [key]: 'x' }, copy: { [key]: 'x' } }, mask: { map: true } };
  },
  'a long number': (world) => {
    const digits = `9${Array.from({ length: 11 }, () => world.random.below(10)).join('')}`;
    world.canaries.push(digits);
    return { value: { pin: Number(digits), copy: Number(digits) }, mask: { pin: true } };
  },
  'a number too short to count elsewhere': (world) => {
    const pin = 1_000_000 + world.random.below(9_000_000);
    world.canaries.push(String(pin));
    return { value: { pin }, mask: { pin: true } };
  },
};

const sidesOf = (action: string, side: Built): JsonObject => {
  const before = action === 'create' ? null : side.value;
  const after = action === 'delete' ? null : side.value;
  return {
    actions: action === 'replace' ? ['delete', 'create'] : [action],
    before,
    after,
    after_unknown: {},
    before_sensitive: before === null ? false : side.mask,
    after_sensitive: after === null ? false : side.mask,
  };
};

const resource = (name: string, change: JsonObject, more: JsonObject = {}): JsonObject => ({
  address: `test_thing.${name}`,
  mode: 'managed',
  type: 'test_thing',
  name,
  provider_name: 'registry.opentofu.org/test/test',
  change,
  ...more,
});

function createPlan(random: Random): Canaries & { text: string } {
  const world = createCanaries(random);
  const action = () => ['create', 'update', 'delete', 'replace'][random.below(4)] as string;
  const marked = Array.from({ length: 1 + random.below(5) }, (_, index) =>
    resource(`r${index}`, sidesOf(action(), pick(random, places)(world))),
  );
  const sources = world.canaries.filter((text) => text.length > 7);
  // Values of variables: some are marked nowhere in the plan, such as write-only and ephemeral ones.
  for (let count = random.below(3); count > 0; count -= 1) world.secrets.push(canary(world));
  sources.push(...world.secrets);
  const unmarked = Array.from({ length: random.below(6) }, (_, index) => {
    const secret = sources[random.below(sources.length)] ?? 'plain';
    const value: JsonObject = { text: pick(random, copies)(secret), write_only: null, open: open(world) };
    const change = sidesOf(action(), { value, mask: {} });
    if (random.below(4) === 0) return resource(`copy${index}`, { ...change, importing: { id: secret } });
    return resource(`copy${index}`, { ...change, replace_paths: [['text', secret]] });
  });
  const all = [...marked, ...unmarked];
  const output = (value: Json, isMarked: boolean): JsonObject => ({
    ...sidesOf('create', { value: {}, mask: {} }),
    after: value,
    before_sensitive: isMarked,
    after_sensitive: isMarked,
  });
  const outputs = {
    secret: output(canary(world), true),
    copy: output({ text: pick(random, copies)(sources[0] ?? 'plain') }, false),
  };
  const text = JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.12.6',
    // Members with the values of variables and of the state, which are not shown.
    variables: { password: { value: canary(world) } },
    planned_values: { root_module: { resources: [{ values: { password: canary(world) } }] } },
    resource_changes: all,
    resource_drift: all.slice(0, random.below(3)).map((one) => ({ ...one, change: sidesOf('update', driftOf(one)) })),
    output_changes: outputs,
  });
  return { ...world, text };
}

const driftOf = ({ change }: JsonObject): Built => {
  const { before, after, before_sensitive, after_sensitive } = change as JsonObject;
  return before === null
    ? { value: after as JsonObject, mask: after_sensitive as Json }
    : { value: before as JsonObject, mask: before_sensitive as Json };
};

type Project = typeof projectPlan;

/** Returns the text of the document, as the supervisor writes it. */
function documentOf({ text, secrets }: Canaries & { text: string }, project: Project = projectPlan): string {
  const digestOf = createValueDigest('k'.repeat(64));
  const { document } = project(text, { secrets, createCopyTest, digestOf });
  return writeJson(redactDocument(document, createRedactor(secrets)));
}

const leaksIn = (plan: Canaries & { text: string }, project?: Project): string[] => {
  const shown = documentOf(plan, project);
  return plan.canaries.filter((text) => shownForms(text).some((form) => shown.includes(form)));
};

describe('the document of a plan', () => {
  it(`shows no secret of ${plans} generated plans, and everything else`, { timeout: 600_000 }, () => {
    const random = createRandom();
    for (let count = 0; count < plans; count += 1) {
      const plan = createPlan(random);
      expect([random.seed, count, plan.text, leaksIn(plan)]).toEqual([random.seed, count, plan.text, []]);
      const shown = documentOf(plan);
      const missing = plan.shown.filter((text) => !shown.includes(text));
      expect([plan.text, missing]).toEqual([plan.text, []]);
    }
  });
});

/** Changes of the source that make the projection forget one rule. */
const mutations: { readonly [rule: string]: Mutation } = {
  'masks of the tool': ['plan-redaction.ts', 'if (mask === true || isSecretLeaf', 'if (isSecretLeaf'],
  'counting a marked text everywhere': [
    'plan-projection.ts',
    'const isCopy = createCopyTest(collectMarked(sidesOf(plan)));',
    'const isCopy = (_text: string): boolean => false;',
  ],
  'copies in other encodings': [
    'plan-projection.ts',
    'createCopyTest(collectMarked(',
    'createSecretTest(collectMarked(',
  ],
  'keys of marked maps': ['marked-texts.ts', 'isTellingKey(key)) texts.add(key)', 'key === "") texts.add(key)'],
  'keys of maps': ['plan-redaction.ts', 'isSecret(key) ?', 'index < 0 ?'],
  numbers: [
    'plan-redaction.ts',
    "typeof value === 'number' || value instanceof ExactNumber) && isSecret",
    'value instanceof ExactNumber) && isSecret',
  ],
  'long numbers': ['marked-texts.ts', 'String(leaf).length >= minSpreadDigits', 'leaf === 0'],
  'ids of imports': ['plan-projection.ts', 'id !== undefined && isSecret(id)', 'id !== undefined && id === ""'],
  'paths of replaced attributes': ['plan-projection.ts', 'isSecret(step)', 'step === ""'],
};

describe('a projection that forgets', () => {
  const mutants = createMutants('server/src/drivers/tofu');
  afterAll(mutants.remove);

  it.each(Object.entries(mutations))('%s is caught', { timeout: 120_000 }, async (_rule, mutation) => {
    const { projectPlan: mutant } = await mutants.load<{ projectPlan: Project }>(mutation, 'plan-projection.ts');
    const random = createRandom();
    const isCaught = Array.from({ length: 300 }).some(() => leaksIn(createPlan(random), mutant).length > 0);
    expect(isCaught).toBe(true);
  });
});
