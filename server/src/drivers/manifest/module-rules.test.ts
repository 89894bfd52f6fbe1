import { describe, expect, test } from 'vitest';
import { manifestVersions } from '#shared/manifest/versions';
import {
  type Change,
  consuming,
  type Invalid,
  interfaces,
  many,
  problemsAfter,
  providing,
  put,
  requires,
  root,
  type Valid,
  variableInput,
  wholeManifest,
} from '../../../test/manifest-fixture.ts';

const input = (name: string, more: object = {}) => variableInput(name, more);
const inputs = (...entries: unknown[]): Change =>
  put('inputs', [...wholeManifest().install.modules['.'].inputs, ...entries]);
const label = (text: string) => inputs(input('x', { label: { ja: text, en: 'x' } }));
const path =
  (name: string): Change =>
  (module, { install }) =>
    void Object.assign(install, { modules: { [name]: module, 'modules/small': { inputs: [] } } });
const build = (more: object) => put('sourceBuild', { commands: [{ argv: ['make'] }], outputs: ['out'], ...more });
const argv = (...args: string[]) => build({ commands: [{ argv: args }] });
const feature = (id: string, ...names: string[]) => ({ id, optional: false, label: input('x').label, inputs: names });
const longPath = (length: number) => `a/${'b'.repeat(length - 2)}`;
const x = `${root}/inputs/4`;

test.each(manifestVersions)('a manifest of %s that uses everything it knows is valid', (version) => {
  expect(problemsAfter(() => {}, version)).toEqual([]);
});

describe('these are valid', () => {
  const valid: Valid[] = [
    ['32 modules', (m, { install }) => Object.assign(install.modules, ...many(30, (at) => ({ [`m${at}`]: m })))],
    ['a path of 1,024 characters', path(longPath(1_024))],
    ['a path of 1,024 characters beyond the basic plane', path('😀'.repeat(1_024))],
    ['a path with spaces and dots inside', path('a b/c.d/..e')],
    ['a path that is called like a prototype', path('__proto__x')],
    ['no inputs', (m) => Object.assign(m, { inputs: [], features: [] })],
    ['128 inputs', inputs(...many(124, (at) => input(`v${at}`)))],
    [
      '32 features',
      (module) => {
        module.inputs.push(...many(32, (at) => input(`v${at}`)));
        module.features = many(32, (at) => feature(`f${at}`, `v${at}`));
      },
    ],
    ['a variable name of 128 characters', inputs(input(`_${'a'.repeat(127)}`))],
    ['a label of 160 characters', label('😀'.repeat(160))],
    ['a label with tab and line ends', label('a\tb\r\nc')],
    ['a helper of 2,000 characters', inputs(input('x', { helper: { ja: 'x'.repeat(2_000), en: 'x' } }))],
    ['a placeholder of 256 characters', inputs(input('x', { placeholder: 'x'.repeat(256) }))],
    ['a format of 64 characters', inputs(input('x', { format: `0${'.'.repeat(63)}` }))],
    ['prose that mentions a token', label('The token of your account, or its password')],
    ['env as a plain input', inputs(input('env', { role: undefined }))],
    [
      'an optional input that keeps the default',
      inputs(input('x', { source: { kind: 'module_default' }, required: false })),
    ],
    [
      '8 commands of 32 arguments of 4,096 characters',
      build({ commands: many(8, () => ({ argv: many(32, (at) => (at === 0 ? 'x'.repeat(4_096) : 'x')) })) }),
    ],
    ['16 outputs', build({ outputs: many(16, (at) => `out${at}`) })],
    ['the root as working directory', build({ commands: [{ argv: ['make'], workingDirectory: '.' }] })],
    ['a default module', (_, { install }) => void Object.assign(install, { defaultModule: '.' })],
  ];
  test.each(valid)('%s', (_name, change, version) => expect(problemsAfter(change, version)).toEqual([]));
});

describe('these are invalid, each with its code and location', () => {
  const invalid: Invalid[] = [
    [
      'no modules',
      (_, { install }) => Object.assign(install, { modules: {}, defaultModule: undefined }),
      'count_out_of_range',
      '/install/modules',
    ],
    [
      '33 modules',
      (m, { install }) => Object.assign(install.modules, ...many(31, (at) => ({ [`m${at}`]: m }))),
      'count_out_of_range',
      '/install/modules',
    ],
    ['a path of 1,025 characters', path(longPath(1_025)), 'path_invalid', '/install/modules/*'],
    ...['/a', './a', 'C:/a', 'a/', 'a\\b', 'a\0b', 'a//b', 'a/./b', 'a/../b', '..', ' a', 'a ', ''].map(
      (name): Invalid => [
        `the path ${JSON.stringify(name)}`,
        path(name),
        'path_invalid',
        expect.stringMatching(/^\/install\/modules\//),
      ],
    ),
    ['an unknown field of a module', put('outputs', []), 'field_unknown', `${root}/outputs`],
    [
      'a module without inputs',
      (m) => Object.assign(m, { inputs: undefined, features: undefined }),
      'field_missing',
      `${root}/inputs`,
    ],
    ['129 inputs', inputs(...many(125, (at) => input(`v${at}`))), 'count_out_of_range', `${root}/inputs`],
    [
      '33 features',
      put(
        'features',
        many(33, (at) => ({ id: `f${at}`, optional: false, label: input('x').label, inputs: ['title'] })),
      ),
      'count_out_of_range',
      `${root}/features`,
    ],
    ['a variable name of 129 characters', inputs(input('a'.repeat(129))), 'text_invalid', `${x}/name`],
    ['a variable name with a dash', inputs(input('a-b')), 'text_invalid', `${x}/name`],
    ['a name that has to be trimmed', inputs(input(' a')), 'text_invalid', `${x}/name`],
    ['a label of 161 characters', label('😀'.repeat(161)), 'text_invalid', `${x}/label/ja`],
    ['a label of white space', label(' \n '), 'text_invalid', `${x}/label/ja`],
    ['a label with a control character', label('a\u0007'), 'text_invalid', `${x}/label/ja`],
    ['a label in one language', inputs(input('x', { label: { en: 'x' } })), 'field_missing', `${x}/label/ja`],
    [
      'a label in a third language',
      inputs(input('x', { label: { en: 'x', ja: 'x', de: 'x' } })),
      'field_unknown',
      `${x}/label/de`,
    ],
    [
      'a helper of 2,001 characters',
      inputs(input('x', { helper: { ja: 'x', en: 'x'.repeat(2_001) } })),
      'text_invalid',
      `${x}/helper/en`,
    ],
    [
      'a placeholder of 257 characters',
      inputs(input('x', { placeholder: 'x'.repeat(257) })),
      'text_invalid',
      `${x}/placeholder`,
    ],
    ['a format of 65 characters', inputs(input('x', { format: 'x'.repeat(65) })), 'text_invalid', `${x}/format`],
    ['a role that is not known', inputs(input('x', { role: 'admin' })), 'value_invalid', `${x}/role`],
    ['a type that is not known', inputs(input('x', { type: 'list' })), 'value_invalid', `${x}/type`],
    ['a flag that is a string', inputs(input('x', { advanced: 'yes' })), 'type_invalid', `${x}/advanced`],
    [
      'a source with more than its kind',
      inputs(input('x', { source: { kind: 'user', name: 'y' } })),
      'field_unknown',
      `${x}/source/name`,
    ],
    [
      'a source that is not known',
      inputs(input('x', { source: { kind: 'env' } })),
      'value_invalid',
      `${x}/source/kind`,
    ],
    [
      'a secret that is not a user input',
      inputs(input('x', { source: { kind: 'capsule_name' }, secret: true })),
      'input_secret_invalid',
      `${x}/secret`,
    ],
    [
      'a required input that keeps the default',
      inputs(input('x', { source: { kind: 'module_default' }, required: true })),
      'input_default_required',
      `${x}/required`,
    ],
    ['env as a secret', inputs(input('env', { secret: true })), 'input_env_secret', x],
    [
      'env as an initial secret',
      (m) => void Object.assign(m, { inputs: [input('env', { role: 'initial_secret' })], features: [] }),
      'input_env_secret',
      `${root}/inputs/0`,
    ],
    ['one name twice', inputs(input('title')), 'not_unique', `${x}/name`],
    ['one role twice', inputs(input('x', { role: 'service_name' })), 'not_unique', `${x}/role`],
    ['a label like a credential', label('use ghp_12345678'), 'secret_like_value', `${x}/label/ja`],
    [
      'a helper like a credential',
      inputs(input('x', { helper: { ja: 'x', en: 'https://me:pw@example.test' } })),
      'secret_like_value',
      `${x}/helper/en`,
    ],
    [
      'a placeholder like a credential',
      inputs(input('x', { placeholder: 'password=hunter2' })),
      'secret_like_value',
      `${x}/placeholder`,
    ],
    [
      'a feature id that ends in a dot',
      put('features', [feature('a.', 'title')]),
      'text_invalid',
      `${root}/features/0/id`,
    ],
    [
      'a feature id of 97 characters',
      put('features', [feature('a'.repeat(97), 'title')]),
      'text_invalid',
      `${root}/features/0/id`,
    ],
    ['a feature without inputs', put('features', [feature('a')]), 'count_out_of_range', `${root}/features/0/inputs`],
    [
      'one feature id twice',
      put(
        'features',
        ['title', 'password'].map((name) => ({ id: 'a', optional: true, label: input('x').label, inputs: [name] })),
      ),
      'not_unique',
      `${root}/features/1/id`,
    ],
    [
      'one input in two features',
      put(
        'features',
        ['a', 'b'].map((id) => ({ id, optional: true, label: input('x').label, inputs: ['title'] })),
      ),
      'not_unique',
      `${root}/features/1/inputs/0`,
    ],
    [
      'a feature of an unknown input',
      put('features', [feature('a', 'nowhere')]),
      'feature_input_invalid',
      `${root}/features/0/inputs/0`,
    ],
    [
      'a feature of an input that is not a user input',
      put('features', [feature('a', 'region')]),
      'feature_input_invalid',
      `${root}/features/0/inputs/0`,
    ],
    ['no command', build({ commands: [] }), 'count_out_of_range', `${root}/sourceBuild/commands`],
    [
      '9 commands',
      build({ commands: many(9, () => ({ argv: ['x'] })) }),
      'count_out_of_range',
      `${root}/sourceBuild/commands`,
    ],
    ['a command without arguments', argv(), 'count_out_of_range', `${root}/sourceBuild/commands/0/argv`],
    ['33 arguments', argv(...many(33, String)), 'count_out_of_range', `${root}/sourceBuild/commands/0/argv`],
    ['an empty argument', argv('x', ''), 'text_invalid', `${root}/sourceBuild/commands/0/argv/1`],
    [
      'an argument of 4,097 characters',
      argv('x'.repeat(4_097)),
      'text_invalid',
      `${root}/sourceBuild/commands/0/argv/0`,
    ],
    ['a shell string', build({ commands: [{ argv: 'make' }] }), 'type_invalid', `${root}/sourceBuild/commands/0/argv`],
    [
      'a credential as an argument',
      argv('make', 'TOKEN=abcdef1'),
      'secret_like_value',
      `${root}/sourceBuild/commands/0/argv/1`,
    ],
    [
      'an environment',
      build({ commands: [{ argv: ['x'], env: {} }] }),
      'field_unknown',
      `${root}/sourceBuild/commands/0/env`,
    ],
    [
      'a working directory above',
      build({ commands: [{ argv: ['x'], workingDirectory: '../x' }] }),
      'path_invalid',
      `${root}/sourceBuild/commands/0/workingDirectory`,
    ],
    ['no output', build({ outputs: [] }), 'count_out_of_range', `${root}/sourceBuild/outputs`],
    ['17 outputs', build({ outputs: many(17, String) }), 'count_out_of_range', `${root}/sourceBuild/outputs`],
    ...['.', 'a/', ' a', 'a\\b', 'a//b', 'a/../b', '/a', 'a\nb'].map(
      (name): Invalid => [
        `the output ${JSON.stringify(name)}`,
        build({ outputs: [name] }),
        'path_invalid',
        `${root}/sourceBuild/outputs/0`,
      ],
    ),
    [
      'a default that is not a module',
      (_, { install }) => void Object.assign(install, { defaultModule: 'other' }),
      'default_module_unknown',
      '/install/defaultModule',
    ],
    [
      'a default called like a prototype',
      (_, { install }) => void Object.assign(install, { defaultModule: 'constructor' }),
      'default_module_unknown',
      '/install/defaultModule',
    ],
    [
      'a default in v2',
      (_, { install }) => void Object.assign(install, { defaultModule: '.' }),
      'field_unknown',
      '/install/defaultModule',
      'v2',
    ],
    [
      'a default in v2.4',
      (_, { install }) => void Object.assign(install, { defaultModule: '.' }),
      'field_unknown',
      '/install/defaultModule',
      'v2.4',
    ],
    ['interfaces in v1', interfaces(providing), 'field_unknown', `${root}/interfaces`, 'v1'],
    ['consuming in v2.1', requires(consuming), 'value_invalid', `${root}/requires/0/kind`, 'v2.1'],
    ['a build in v2.2', build({}), 'field_unknown', `${root}/sourceBuild`, 'v2.2'],
    [
      'a schema reference',
      (_, document) => void Object.assign(document, { $schema: 'x' }),
      'field_unknown',
      '/$schema',
    ],
    [
      'a retired version field',
      (_, document) => void Object.assign(document, { schemaVersion: 'svc.install-ux/v1' }),
      'field_unknown',
      '/schemaVersion',
    ],
    ['another kind', (_, document) => void Object.assign(document, { kind: 'Module' }), 'value_invalid', '/kind'],
    ['no kind', (_, document) => void Object.assign(document, { kind: undefined }), 'field_missing', '/kind'],
    [
      'another version',
      (_, document) => void Object.assign(document, { apiVersion: 'svc/v3' }),
      'version_unknown',
      '/apiVersion',
    ],
    [
      'no version',
      (_, document) => void Object.assign(document, { apiVersion: undefined }),
      'version_unknown',
      '/apiVersion',
    ],
  ];
  test.each(invalid)('%s', (_name, change, code, pointer, version) => {
    expect(problemsAfter(change, version)).toContainEqual([code, pointer]);
  });
});
