import { afterAll, describe, expect, it } from 'vitest';
import { writeJson } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import {
  base64,
  type Canaries,
  canary,
  copies,
  createCanaries,
  open,
  pick,
  shownForms,
} from '../../../test/canaries.ts';
import { createMutants, type Mutation } from '../../../test/mutants.ts';
import { stateText } from '../../../test/state-fixture.ts';
import { projectState } from './project.ts';
import { withoutDigests } from './shown.ts';

/*
 * Generated states with secrets in every place where the tool or a provider can put one. The oracle does not know how
 * marks are read: it knows which texts it planted, and looks for them in what is shown.
 */

const states = depth({ quick: 100, deep: 10_000 });
const digestKey = 'k'.repeat(64);

type Path = (string | number)[];
type Built = { attributes: { [key: string]: Json }; sensitive: Path[] };

/** Places of a secret. Each returns attributes with the paths that the tool marks. */
const places: { readonly [name: string]: (world: Canaries) => Built } = {
  'a schema attribute': (world) => ({
    attributes: { password: canary(world), name: open(world) },
    sensitive: [['password']],
  }),
  'a nested attribute': (world) => ({
    attributes: { auth: { basic: { password: canary(world), user: open(world) } } },
    sensitive: [['auth', 'basic', 'password']],
  }),
  'a block in a list': (world) => ({
    attributes: { disk: [{ key: open(world) }, { key: canary(world), label: open(world) }] },
    sensitive: [['disk', 1, 'key']],
  }),
  'a whole set': (world) => ({
    attributes: { users: [{ a: canary(world) }, { a: canary(world) }] },
    sensitive: [['users']],
  }),
  'a whole object': (world) => ({
    attributes: { data: { one: canary(world), two: [canary(world)] }, note: open(world) },
    sensitive: [['data']],
  }),
  'a dynamic value': (world) => ({
    attributes: {
      input: {
        value: { token: canary(world), name: open(world) },
        type: ['object', { token: 'string', name: 'string' }],
      },
    },
    sensitive: [['input', 'token']],
  }),
  'a dynamic text': (world) => ({
    attributes: { input: { value: canary(world), type: 'string' } },
    sensitive: [['input']],
  }),
  'a dynamic value inside of another': (world) => ({
    attributes: { input: { value: { deep: { value: { pin: canary(world) }, type: 'dynamic' } }, type: 'dynamic' } },
    sensitive: [['input', 'deep', 'pin']],
  }),
  'an object that looks like a dynamic value': (world) => ({
    attributes: { input: { value: { value: canary(world), type: 'x' }, type: 'dynamic' } },
    sensitive: [['input', 'value']],
  }),
  'an object with the members of a dynamic value': (world) => ({
    attributes: { setting: { value: 'x', type: canary(world) } },
    sensitive: [['setting', 'type']],
  }),
  'a path that ends early': (world) => ({
    attributes: { rest: { deep: canary(world) } },
    sensitive: [['rest', 'gone', 'x']],
  }),
  'an element of a set': (world) => ({ attributes: { set: [{ a: canary(world) }] }, sensitive: [['set', -1, 'a']] }),
  'the key of a marked map': (world) => {
    const key = canary(world);
    return { attributes: { map: { [key]: 'x' }, copy: { [key]: 'x' } }, sensitive: [['map']] };
  },
  'a long number': (world) => {
    const digits = `9${Array.from({ length: 11 }, () => world.random.below(10)).join('')}`;
    world.canaries.push(digits);
    return { attributes: { pin: Number(digits), copy: Number(digits) }, sensitive: [['pin']] };
  },
};

function createState(random: Random): Canaries & { text: string } {
  const world = createCanaries(random);
  const objects: Parameters<typeof stateText>[0][number][] = Array.from({ length: 1 + random.below(5) }, (_, index) => {
    const { attributes, sensitive } = pick(random, places)(world);
    return { name: `r${index}`, attributes, sensitive, private: base64(JSON.stringify({ token: canary(world) })) };
  });
  const marked = world.canaries.filter((text) =>
    JSON.stringify(objects.map(({ attributes }) => attributes)).includes(JSON.stringify(text).slice(1, -1)),
  );
  // Values of variables: some are marked nowhere in the state, such as write-only and ephemeral ones.
  for (let count = random.below(3); count > 0; count -= 1) world.secrets.push(canary(world));
  const sources = [...marked, ...world.secrets];
  for (let index = 0; index < random.below(6) && sources.length > 0; index += 1) {
    const secret = sources[random.below(sources.length)] as string;
    objects.push({
      name: `copy${index}`,
      mode: random.below(2) === 0 ? ('data' as const) : ('managed' as const),
      ...(random.below(6) === 0 && { key: secret }),
      attributes: { text: pick(random, copies)(secret), write_only: null, open: open(world) },
    });
  }
  // Too short to count elsewhere.
  const pin = 1_000_000 + random.below(9_000_000);
  world.canaries.push(String(pin));
  const outputs = {
    secret: { value: canary(world), type: 'string', sensitive: true },
    pin: { value: pin, type: 'number', sensitive: true },
  };
  const check_results = [
    {
      object_kind: 'check',
      config_addr: 'check.health',
      status: 'fail',
      objects: [
        { object_addr: 'check.health', status: 'fail', failure_messages: sources.map((text) => `bad ${text}`) },
      ],
    },
  ];
  return { ...world, text: stateText(objects, { outputs, check_results }) };
}

type Project = typeof projectState;

function shownOf({ text, secrets }: { text: string; secrets: string[] }, project: Project = projectState): string {
  const { head, pages } = project(text, { secrets, digestKey });
  const { index: _, ...rest } = head;
  const index = head.index.map(({ digest: __, ...entry }) => entry);
  return writeJson([index, rest, pages].map((part) => withoutDigests(part as never)));
}

const leaksIn = (state: { text: string; secrets: string[]; canaries: string[] }, project?: Project): string[] => {
  const shown = shownOf(state, project);
  return state.canaries.filter((text) => shownForms(text).some((form) => shown.includes(form)));
};

describe('a projection', () => {
  it(`shows no secret of ${states} generated states, and everything else`, { timeout: 600_000 }, () => {
    const random = createRandom();
    for (let count = 0; count < states; count += 1) {
      const state = createState(random);
      expect([random.seed, count, state.text, leaksIn(state)]).toEqual([random.seed, count, state.text, []]);
      const shown = shownOf(state);
      const missing = state.shown.filter((text) => !shown.includes(text));
      expect([state.text, missing]).toEqual([state.text, []]);
    }
  });
});

/** Changes of the source that make the masker forget one rule. */
const mutations: { readonly [rule: string]: Mutation } = {
  'reading marks': [
    'marks.ts',
    'for (const path of resolveMark(value, steps))',
    'for (const path of [] as string[][])',
  ],
  'unwrapping dynamic values': ['marks.ts', 'if (inside !== undefined) visit(', 'if (inside === 0) visit('],
  'reading a value both ways': [
    'marks.ts',
    'if (child !== undefined) visit(',
    'if (child !== undefined && inside === undefined) visit(',
  ],
  'masking the nearest ancestor': [
    'marks.ts',
    'if (child === undefined && inside === undefined) found.push',
    'if (path.length > 99) found.push',
  ],
  'counting a marked text everywhere': [
    'mask.ts',
    'const isCopy = createCopyTest(marked);',
    'const isCopy = (_text: string): boolean => false;',
  ],
  'copies in other encodings': [
    'mask.ts',
    'createCopyTest(marked)',
    '(text: string): boolean => [...marked].some((one) => text.includes(one))',
  ],
  'the secrets of the Run': ['mask.ts', 'createRedactor(secrets)', 'createRedactor([])'],
  'keys of maps': ['mask.ts', 'isSecret(key)', 'index < 0'],
  numbers: [
    'mask.ts',
    "typeof value === 'number' || value instanceof ExactNumber) && isSecret",
    'value instanceof ExactNumber) && isSecret',
  ],
  'keys in addresses': ['mask.ts', 'isCopy(key)', 'key === ""'],
  'messages of checks': ['mask.ts', 'isCopy(text) ? hidden : redactText(text)', 'redactText(text)'],
  'sensitive Outputs': ['project.ts', 'output.sensitive ? true : undefined', 'undefined'],
  'private data': [
    'project.ts',
    'name: masker.address(name)',
    'name: JSON.parse(text).resources[0].instances[0].private',
  ],
};

describe('a masker that forgets', () => {
  const mutants = createMutants('server/src/domains/state-resources');
  afterAll(mutants.remove);

  it.each(Object.entries(mutations))('%s is caught', { timeout: 120_000 }, async (_rule, mutation) => {
    const { projectState: mutant } = await mutants.load<{ projectState: Project }>(mutation, 'project.ts');
    const random = createRandom();
    const isCaught = Array.from({ length: 300 }).some(() => leaksIn(createState(random), mutant).length > 0);
    expect(isCaught).toBe(true);
  });
});
