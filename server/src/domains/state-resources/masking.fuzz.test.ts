import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { writeJson } from '#shared/kernel/exact-number';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import { stateText } from '../../../test/state-fixture.ts';
import { projectState } from './project.ts';
import { withoutDigests } from './shown.ts';

/*
 * Generated states with secrets in every place where the tool or a provider can put one. The oracle does not know how
 * marks are read: it knows which texts it planted, and looks for them in what is shown.
 */

const states = depth({ quick: 1_000, deep: 10_000 });
const digestKey = 'k'.repeat(64);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = (string | number)[];
type Built = { attributes: { [key: string]: Json }; sensitive: Path[] };
type World = { random: Random; canaries: string[]; secrets: string[]; shown: string[] };

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const textOf = (random: Random, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A text that must never be shown. It has a digit, because keys of maps that are plain words are not secret. */
function canary(world: World): string {
  const prefix = ['Cny-', 'Cny"', 'Cny ü', 'Cny\\', 'Cny\n'][world.random.below(5)] as string;
  const text = `${prefix}${textOf(world.random, 12)}7`;
  world.canaries.push(text);
  return text;
}
/** A text that must be shown, so that a masker that hides everything fails too. */
function open(world: World): string {
  const text = `open${textOf(world.random, 14)}`;
  world.shown.push(text);
  return text;
}

/** Places of a secret. Each returns attributes with the paths that the tool marks. */
const places: { readonly [name: string]: (world: World) => Built } = {
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

/** Copies of a secret that lost their mark. */
const copies: { readonly [name: string]: (secret: string) => Json } = {
  'as it is': (secret) => secret,
  'in a sentence': (secret) => `postgres://user:${secret}@host/db`,
  'in base64': (secret) => base64(`user:${secret}`),
  'in hex': (secret) => Buffer.from(`x${secret}`).toString('hex'),
  'in JSON': (secret) => JSON.stringify({ password: secret }),
  'percent-encoded': (secret) => `https://host/?token=${encodeURIComponent(secret)}`,
  'as a key': (secret) => ({ [secret]: 'x' }),
  'in a list': (secret) => [['x', secret]],
};

function pick<T>(random: Random, values: { readonly [name: string]: T }): T {
  const names = Object.keys(values);
  return values[names[random.below(names.length)] as string] as T;
}

function createState(random: Random): World & { text: string } {
  const world: World = { random, canaries: [], secrets: [], shown: [] };
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

/** Every form in which the oracle looks for a planted text. */
const formsOf = (text: string): string[] => {
  const bytes = Buffer.from(text);
  const inner = [0, 1, 2].map((offset) => base64(`${'x'.repeat(offset)}${text}`).slice(offset === 0 ? 0 : 4, -4));
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    encodeURIComponent(text),
    bytes.toString('hex'),
    ...inner.filter((form) => form.length >= 8),
  ];
};

type Project = typeof projectState;

function shownOf({ text, secrets }: { text: string; secrets: string[] }, project: Project = projectState): string {
  const { head, pages } = project(text, { secrets, digestKey });
  const { index: _, ...rest } = head;
  const index = head.index.map(({ digest: __, ...entry }) => entry);
  return writeJson([index, rest, pages].map((part) => withoutDigests(part as never)));
}

const leaksIn = (state: { text: string; secrets: string[]; canaries: string[] }, project?: Project): string[] => {
  const shown = shownOf(state, project);
  return state.canaries.filter((text) => formsOf(text).some((form) => shown.includes(form)));
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

/** Changes of the source that make the masker forget one rule: file, text, replacement. */
const mutations: { readonly [rule: string]: readonly [file: string, text: string, replacement: string] } = {
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
  'keys of marked maps': ['mask.ts', 'if (isTellingKey(key)) texts.add(key)', 'if (key === "") texts.add(key)'],
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
  const here = path.join(repositoryRoot, 'server/src/domains/state-resources');
  const folder = path.join(repositoryRoot, '.cache/mutants');
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  it.each(Object.keys(mutations))('%s is caught', { timeout: 120_000 }, async (rule) => {
    const [file, text, replacement] = mutations[rule] ?? ['', '', ''];
    const copy = path.join(folder, rule.replaceAll(' ', '-'));
    fs.mkdirSync(copy, { recursive: true });
    const names = fs.readdirSync(here).filter((name) => !name.includes('.test.'));
    for (const name of names) fs.copyFileSync(path.join(here, name), path.join(copy, name));
    const source = fs.readFileSync(path.join(here, file), 'utf8');
    expect(source.split(text)).toHaveLength(2);
    fs.writeFileSync(
      path.join(copy, file),
      source.replace(text, () => replacement),
    );
    const { projectState: mutant } = (await import(path.join(copy, 'project.ts'))) as { projectState: Project };
    const random = createRandom();
    const isCaught = Array.from({ length: 300 }, () => createState(random)).some(
      (state) => leaksIn(state, mutant).length > 0,
    );
    expect(isCaught).toBe(true);
  });
});
