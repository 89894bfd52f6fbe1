import { describe, expect, test } from 'vitest';
import { canonicalSource, isSameSource, sourceAddress } from '../kernel/provider-source.ts';
import { envNamesOf } from './auth-mode.ts';
import { builtInRecipes } from './built-in/index.ts';
import { isCredentialEnvName, isCredentialFilePath } from './names.ts';
import { recipeFits, takesArgument } from './provider-source.ts';
import { availableRecipes, Recipe } from './recipe.ts';

describe.each(builtInRecipes.map((recipe) => [recipe.id, recipe] as const))('the built-in recipe %s', (id, recipe) => {
  test('is a valid document that this server supports completely', () => {
    expect(Recipe.safeParse(recipe).error?.issues ?? []).toEqual([]);
    expect(availableRecipes([recipe], () => false)).toEqual([recipe]);
  });

  test('has canonical sources, and groups that one of its modes can fill', () => {
    if (recipe.terraformSource !== '*')
      expect(recipe.terraformSource.map(canonicalSource)).toEqual(recipe.terraformSource);
    const modes = Object.values(recipe.authModes).map((mode) => new Set(envNamesOf(mode)));
    for (const group of recipe.requiredEnvGroups ?? [])
      expect(modes.some((names) => group.every((name) => names.has(name)))).toBe(true);
  });

  test('describes each input and says where to get it', () => {
    for (const { env = {}, files = {}, inputHints = {}, presentation } of Object.values(recipe.authModes)) {
      const inputs = [...Object.keys(env), ...Object.keys(files)];
      expect(inputs.map((name) => inputHints[name]?.label)).toEqual(inputs.map(() => expect.any(String)));
      expect(presentation?.displayName).toBeTruthy();
      if (id !== 'generic-env') expect(presentation?.setupGuide?.steps?.length).toBeGreaterThan(0);
    }
  });
});

test('recipe ids are unique, and each provider has one recipe', () => {
  const ids = builtInRecipes.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const sources = builtInRecipes.flatMap(({ terraformSource }) => (terraformSource === '*' ? [] : terraformSource));
  expect(new Set(sources).size).toBe(sources.length);
});

test('every recipe of the published table exists under its published names', () => {
  const find = (id: string) => builtInRecipes.find((recipe) => recipe.id === id);
  const namesIn = (id: string, mode: string) => envNamesOf(find(id)?.authModes[mode] ?? {});
  expect(find('generic-env')).toMatchObject({
    terraformSource: '*',
    declaredEnv: {},
    authModes: { env: {}, file: {} },
  });
  expect(namesIn('aws', 'static')).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']);
  expect(namesIn('aws', 'shared_files')).toEqual(['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE']);
  expect(namesIn('google', 'service_account')).toEqual(['GOOGLE_APPLICATION_CREDENTIALS']);
  expect(namesIn('azure', 'client_secret')).toEqual([
    'ARM_CLIENT_ID',
    'ARM_CLIENT_SECRET',
    'ARM_TENANT_ID',
    'ARM_SUBSCRIPTION_ID',
  ]);
  expect(['cloudflare', 'digitalocean', 'hcloud', 'github'].map((id) => namesIn(id, 'token'))).toEqual([
    ['CLOUDFLARE_API_TOKEN'],
    ['DIGITALOCEAN_TOKEN'],
    ['HCLOUD_TOKEN'],
    ['GITHUB_TOKEN'],
  ]);
  expect(namesIn('kubernetes', 'kubeconfig')).toEqual(['KUBE_CONFIG_PATH']);
  expect(find('kubernetes')?.terraformSource).toEqual(['hashicorp/kubernetes', 'hashicorp/helm']);
});

describe('a recipe of an operator', () => {
  const plain = {
    id: 'acme',
    displayName: 'Acme',
    terraformSource: ['acme/cloud'],
    authModes: { token: { env: { ACME_TOKEN: { from: 'secret' } } } },
  };
  const wrong: [string, unknown, string][] = [
    ['with an unknown member', { ...plain, color: 'red' }, ''],
    ['without a mode', { ...plain, authModes: {} }, '/authModes'],
    [
      'with a name that steers the tool',
      { ...plain, authModes: { a: { env: { TF_CLI_ARGS: { from: 'value' } } } } },
      '/authModes/a/env/TF_CLI_ARGS',
    ],
    [
      'with a file outside',
      { ...plain, authModes: { a: { files: { '../x': { from: 'secret' } } } } },
      '/authModes/a/files/../x',
    ],
    [
      'with an origin there is not',
      { ...plain, authModes: { a: { env: { A: { from: 'shell' } } } } },
      '/authModes/a/env/A/from',
    ],
    [
      'with an argument of nothing',
      { ...plain, authModes: { a: { providerArguments: { token: { from: 'secret', name: 'A' } } } } },
      '/authModes/a/providerArguments/token',
    ],
    ['with a hint of nothing', { ...plain, authModes: { a: { inputHints: { A: {} } } } }, '/authModes/a/inputHints/A'],
    [
      'with a literal without a value',
      { ...plain, authModes: { a: { env: { A: { from: 'literal' } } } } },
      '/authModes/a/env/A',
    ],
    [
      'with a value that is not a literal',
      { ...plain, authModes: { a: { env: { A: { from: 'secret', value: 'x' } } } } },
      '/authModes/a/env/A',
    ],
    [
      'with a guide that is not an https address',
      { ...plain, authModes: { a: { presentation: { setupGuide: { url: 'javascript:alert(1)' } } } } },
      '/authModes/a/presentation/setupGuide/url',
    ],
    [
      'with a mode others can write by',
      { ...plain, authModes: { a: { files: { x: { from: 'secret', mode: '0666' } } } } },
      '/authModes/a/files/x/mode',
    ],
  ];
  test('is accepted unchanged', () => expect(Recipe.parse(plain)).toEqual(plain));
  test.each(wrong)('%s is refused at the invalid path', (_, document, pointer) => {
    const issues = Recipe.safeParse(document).error?.issues ?? [];
    expect(issues.map(({ path }) => path.map((part) => `/${String(part)}`).join(''))).toContain(pointer);
  });
});

test('a provider is the same under either public registry and in any case', () => {
  for (const text of [
    'aws',
    'hashicorp/aws',
    'HashiCorp/AWS',
    'registry.opentofu.org/hashicorp/aws',
    'registry.terraform.io/hashicorp/aws',
  ])
    expect(canonicalSource(text)).toBe('hashicorp/aws');
  expect(canonicalSource('example.com:443/a/b')).toBe('example.com/a/b');
  for (const text of ['', 'a/b/c/d', 'a b', '../aws', 'a//b', '/aws']) expect(canonicalSource(text)).toBeUndefined();
  expect(isSameSource('aws', 'registry.terraform.io/hashicorp/aws')).toBe(true);
  expect(isSameSource('', '')).toBe(false);
  expect(recipeFits({ terraformSource: ['hashicorp/aws'] }, 'aws')).toBe(true);
  expect(recipeFits({ terraformSource: ['hashicorp/aws'] }, 'acme/aws')).toBe(false);
  expect(recipeFits({ terraformSource: '*' }, 'acme/aws')).toBe(true);
  expect(takesArgument('hashicorp/azurerm', 'subscription_id')).toBe(true);
  expect(takesArgument('registry.opentofu.org/hashicorp/azuread', 'subscription_id')).toBe(false);
});

test('refuses names that steer the system, the tool or this product', () => {
  for (const name of ['AWS_PROFILE', 'a', '_x', 'TFE_TOKEN', 'GOOGLE_PROJECT', 'HTTPS_PROXY'])
    expect([name, isCredentialEnvName(name)]).toEqual([name, true]);
  for (const name of [
    'PATH',
    'Path',
    'HOME',
    'LD_PRELOAD',
    'DYLD_X',
    'NODE_OPTIONS',
    'SVC_X',
    'TF_CLI_ARGS_plan',
    'TF_LOG',
    'TF_DATA_DIR',
    'TF_PLUGIN_CACHE_DIR',
    'TF_REATTACH_PROVIDERS',
    'TF_VAR_x',
    'BASH_ENV',
    '1A',
    'A-B',
    'A B',
    '',
    'A'.repeat(129),
  ])
    expect([name, isCredentialEnvName(name)]).toEqual([name, false]);
  for (const path of ['a', 'aws/credentials', '.kube/config', 'a/b/c/d']) expect(isCredentialFilePath(path)).toBe(true);
  for (const path of ['', '.', '..', 'a/../b', '/a', 'a/', 'a//b', 'a\\b', 'a/b/c/d/e', 'a\u0000', 'ü'])
    expect([path, isCredentialFilePath(path)]).toEqual([path, false]);
});

test.each([
  ['aws', 'registry.opentofu.org/hashicorp/aws'],
  ['Integrations/GitHub', 'registry.opentofu.org/integrations/github'],
  ['registry.terraform.io/hashicorp/aws', 'registry.terraform.io/hashicorp/aws'],
  ['registry.opentofu.org/hashicorp/aws', 'registry.opentofu.org/hashicorp/aws'],
  ['example.com:443/a/b', 'example.com/a/b'],
  ['a/b/c/d', undefined],
])('the address of the provider %s is %s', (text, address) => expect(sourceAddress(text)).toBe(address));

const service = {
  context: 'capsule-run.v1',
  operatorConnection: 'workspace-bindable',
  storedMaterial: 'none',
  audience: 'acme',
  scopes: ['read'],
};
const inputs = { token_url: { from: 'value' }, client_id: { from: 'value' }, client_secret: { from: 'secret' } };
const preRun = { type: 'oauth_client_credentials', inputs };
const token = { A: { from: 'generated', name: 'access_token' } };
const withMode = (mode: object): unknown => ({
  id: 'a',
  displayName: 'A',
  terraformSource: '*',
  authModes: { m: mode },
});

describe('a mode that acts', () => {
  test.each([
    ['requests a token', { env: token, preRun }],
    [
      'refreshes a token',
      {
        env: token,
        preRun: {
          type: 'oauth_refresh_token',
          inputs: { token_url: inputs.token_url, client_id: inputs.client_id, refresh_token: { from: 'secret' } },
        },
      },
    ],
    [
      'writes its token into a file',
      { files: { t: { from: 'generated', name: 'access_token', envName: 'A' } }, preRun },
    ],
    [
      'gets credentials from a service',
      { env: { A: { from: 'generated' }, B: { from: 'literal', value: '1' } }, runIssuance: service },
    ],
    ['has hints for its inputs', { env: token, preRun, inputHints: { client_id: { label: 'App' } } }],
  ])('is accepted when it %s', (_, mode) => expect(Recipe.safeParse(withMode(mode)).error?.issues).toBeUndefined());

  test.each([
    ['is of another type', { env: token, preRun: { type: 'login' } }, 'preRun/type'],
    [
      'lacks an input',
      {
        env: token,
        preRun: { ...preRun, inputs: { token_url: inputs.token_url, client_secret: inputs.client_secret } },
      },
      'preRun/inputs/client_id',
    ],
    [
      'has an unknown input',
      { env: token, preRun: { ...preRun, inputs: { ...inputs, password: { from: 'secret' } } } },
      'preRun/inputs/password',
    ],
    [
      'has a literal input without a value',
      { env: token, preRun: { ...preRun, inputs: { ...inputs, scope: { from: 'literal' } } } },
      'preRun/inputs/scope',
    ],
    [
      'generates an input',
      { env: token, preRun: { ...preRun, inputs: { ...inputs, scope: { from: 'generated' } } } },
      'preRun/inputs/scope',
    ],
    ['acts twice', { env: token, preRun, runIssuance: service }, 'runIssuance'],
    ['generates nothing', { env: { A: { from: 'secret' } }, preRun }, 'preRun'],
    ['generates another name than the token', { env: { A: { from: 'generated' } }, preRun }, 'env/A'],
    ['generates and does not act', { env: { A: { from: 'generated' } } }, 'env/A'],
    ['stores something beside a service', { env: { ...token, B: { from: 'secret' } }, runIssuance: service }, 'env/B'],
  ])('that %s is refused with a sentence', (_, mode, path) => {
    const issues = Recipe.safeParse(withMode(mode)).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.slice(2).join('/'))).toEqual([path]);
    expect(issues[0]?.message).toMatch(/^[A-Z].*[.]$|^oauth_.*[.]$/);
  });
});

test('omits modes without their credential service, and recipes without a mode', () => {
  const parsed = (id: string, authModes: object): Recipe =>
    Recipe.parse({ id, displayName: id, terraformSource: '*', authModes });
  const issued = { env: { A: { from: 'generated' } }, runIssuance: service };
  const plain = { env: { A: { from: 'secret' } } };
  const both = parsed('both', { issued, plain, token: { env: token, preRun } });
  const all = [both, parsed('only', { issued })];
  expect(availableRecipes(all, (id) => id === 'only')).toEqual([
    parsed('both', { plain, token: { env: token, preRun } }),
    parsed('only', { issued }),
  ]);
  expect(availableRecipes(all, () => true)).toEqual(all);
});
