/**
 * Dependency rules: order of the layers and domains, public parts of each, and permitted users of each library.
 * `.ci/checks/dependency-rules.test.ts` plants a breach of every rule (of the ranks of the domains, of one).
 */
const { readdirSync } = require('node:fs');
const path = require('node:path');

// Lowest first. A domain imports only the domains before it.
const domains = [
  'activity',
  'identity',
  'keys',
  'fence',
  'workspaces',
  'tokens',
  'signin',
  'runs',
  'usage',
  'sources',
  'connections',
  'capsules',
  'runner-pools',
  'state-versions',
  'form-packages',
  'form-resources',
  'interfaces',
  'output-shares',
  'dependencies',
  'install-configs',
  'issuer',
  'provider-bindings',
  'execution',
  'remote-runs',
  'lifecycle',
  'plans',
  'state-resources',
  'applies',
  'run-groups',
  'drift',
  'updates',
  'notifications',
  'webhooks',
  'install-plans',
  'revision-plans',
  'configuration-plans',
  're-adoptions',
  'restores',
  'backups',
  'backup-schedules',
  'copies',
  'late-states',
  'imports',
  'exports',
  'installation',
  'gc',
  'workspace-deletions',
  'doctor',
  'installation-backups',
  'search',
  'dashboard',
  'operator',
  'discovery',
];

/**
 * A Run carries totals of its plan, a Capsule its drift, and a form package the Interfaces of its Resources, so these
 * words are below every domain.
 */
const lowestVocabulary =
  '^shared/src/(?:plans/(?:change|summary|totals)|drift/(?:mark|schedule)|interfaces/(?:blueprint|contract|machine|reasons|requests|scalars))[.]ts$';

const supervisorParts = ['build', 'command', 'network', 'providers', 'reporting', 'schema', 'state', 'workspace'];
const features = [
  'account',
  'activity',
  'backups',
  'capsules',
  'connections',
  'copies',
  'form-resources',
  'graph',
  'home',
  'install',
  'installation',
  'interfaces',
  'members',
  'palette',
  'reference',
  'run-groups',
  'runner-pools',
  'runs',
  'session',
  'settings',
  'sources',
  'tokens',
  'usage',
  'webhooks',
  'workspaces',
];

/** Every folder of the sources, under its parent. A folder that is not listed has no rules, so it fails the check. */
const folders = {
  'electron/src': ['background', 'servers', 'update'],
  'renderer/src': ['api', 'app', 'components', 'features', 'i18n', 'ui'],
  'renderer/src/components': [
    'activity',
    'backups',
    'code',
    'connection-form',
    'inputs',
    'interfaces',
    'notifications',
    'outputs',
    'plan',
    'provider-bindings',
    'runs',
    'sign-in',
  ],
  'renderer/src/features': features,
  'renderer/src/features/capsules': [
    'activity',
    'configuration',
    'drift',
    'history',
    'hold',
    'interfaces',
    'overview',
    're-adoption',
    'resources',
    'settings',
    'states',
  ],
  'renderer/src/features/install': ['inputs', 'link'],
  'renderer/src/features/runs': ['apply', 'compare', 'log', 'plan', 'recovery', 'restore', 'review'],
  'renderer/src/i18n': ['en', 'ja'],
  'renderer/src/ui': ['keys'],
  'server/src': ['cli', 'compose', 'domains', 'drivers', 'kernel', 'os', 'runner', 'runner-machine', 'supervisor'],
  'server/src/cli': ['client', 'conformance', 'login', 'terms'],
  'server/src/domains': domains,
  'server/src/domains/connections': ['check', 'minting'],
  'server/src/domains/discovery': ['client'],
  'server/src/drivers': [
    'activator',
    'archive',
    'backup-archive',
    'code',
    'git',
    'issuer',
    'json-schema',
    'litestream',
    'mail',
    'manifest',
    'module-calls',
    'nats',
    'object-store',
    'packages',
    'releases',
    'scan',
    'tofu',
    'vault',
    'webhook',
  ],
  'server/src/drivers/scan': ['subset'],
  'server/src/drivers/tofu': ['fixtures', 'plugin'],
  'server/src/kernel': ['http'],
  'server/src/runner': ['contract'],
  'server/src/runner/contract': ['redaction', 'remote'],
  'server/src/supervisor': supervisorParts,
  'shared/src': ['kernel', 'manifest', 'variables', ...domains],
  'shared/src/connections': ['built-in'],
};

/** Names of the direct subfolders that hold a file at any depth: Git leaves empty folders behind. */
const subfolders = (folder) => [
  ...new Set(
    readdirSync(path.join(__dirname, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => path.relative(path.join(__dirname, folder), parentPath).split(path.sep)[0])
      .filter((name) => name !== ''),
  ),
];
const requireListed = (folder) => {
  for (const name of subfolders(folder)) {
    const child = `${folder}/${name}`;
    if (!folders[folder]?.includes(name))
      throw new Error(`List ${child} in .dependency-cruiser.cjs, so that it has rules.`);
    requireListed(child);
  }
};
for (const root of ['electron/src', 'renderer/src', 'server/src', 'shared/src']) requireListed(root);

const any = (names) => `(?:${names.join('|')})`;
const test = '[.]test[.]tsx?$';
const schema = '/schema[.]ts$';
const store =
  '/(?:attention-|bindings-|changes-|choice-|claims-|feed-|intents-|machines-|match-|members-|named-|proofs-|queue-|run-|waiting-|work-)?store[.]ts$';

/** `from` may not import `to`, except what matches `except`. Tests may. */
const never = (name, from, to, except) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: test },
  to: { path: to, ...(except && { pathNot: except }) },
});
/** `layer` of the server imports only itself and `lower`. */
const layer = (name, from, lower) => never(name, `^server/src/${from}`, `^server/src/(?!${any(lower)}/)`);
/** Only `users` may import what matches `library`. */
const only = (name, library, users) => ({
  name: `only-${name}`,
  severity: 'error',
  from: { path: '^(?:electron|renderer|server|shared)/', pathNot: [...users, test, '^server/test/'] },
  to: { path: library },
});

/**
 * A folder of `parent` imports only the index.ts of another one; a separate rule covers the joins of a schema or store.
 */
const throughIndex = (name, parent) => ({
  name,
  severity: 'error',
  from: { path: `^server/src/${parent}/([^/]+)/`, pathNot: [test, schema, store] },
  to: { path: `^server/src/${parent}/`, pathNot: [`^server/src/${parent}/$1/`, '/index[.]ts$'] },
});

const domainsImportDown = domains
  .slice(0, -1)
  .map((name, rank) =>
    never(
      `${name}-imports-down`,
      `^(?:server/src/domains|shared/src)/${name}/`,
      `^(?:server/src/domains|shared/src)/${any(domains.slice(rank + 1))}/`,
      lowestVocabulary,
    ),
  );

/** First files of the programs and of what is published. Everything else is reached from one of them. */
const programs = [
  '^server/src/(?:index|cli/main|supervisor/main|drivers/git/git-child|drivers/git/git-worker|drivers/module-calls/index|drivers/module-calls/module-calls-worker|drivers/code/code-worker|drivers/scan/scan-worker|drivers/json-schema/json-schema-worker|drivers/issuer/issuer-library|drivers/packages/index|drivers/packages/package-worker)[.]ts$',
  '^server/src/(?:kernel/ledger-copy-worker|drivers/vault/keychain-child|domains/installation-backups/backup-worker|domains/connections/check/main|domains/state-resources/projection-worker|domains/discovery/client/(?:client|declarations))[.]ts$',
  '^electron/(?:start|src/main|src/preload|src/servers/(?:manage-preload|notice-preload)|src/try-desktop)[.]ts$',
  '^renderer/src/app/main[.]tsx$',
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },

    // Top folders: shared <- server <- electron, shared <- renderer.
    never('electron-uses-the-server-api', '^electron/', '^(?:renderer/|server/src/(?!index[.]ts$))'),
    never('server-knows-no-window', '^server/', '^(?:renderer|electron)/'),
    never('renderer-knows-no-server', '^renderer/', '^(?:server|electron)/'),
    never('shared-stands-alone', '^shared/', '^(?:server|renderer|electron)/'),
    {
      name: 'shared-is-pure',
      severity: 'error',
      from: { path: '^shared/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },

    // Layers of the server, lowest first.
    layer('kernel-is-lowest', 'kernel/', ['kernel']),
    layer('drivers-know-no-domain', 'drivers/', ['kernel', 'drivers']),
    layer('os-is-below-the-runner', 'os/', ['kernel', 'os']),
    layer('contract-is-below-the-runner', 'runner/contract/', ['kernel', 'os', 'drivers', 'runner/contract']),
    layer('runner-knows-no-supervisor', 'runner/', ['kernel', 'os', 'drivers', 'runner']),
    layer('supervisor-knows-no-client', 'supervisor/', ['kernel', 'os', 'drivers', 'runner/contract', 'supervisor']),
    layer('machines-know-no-domain', 'runner-machine/', ['kernel', 'drivers', 'runner', 'runner-machine']),
    layer('domains-know-no-composition', 'domains/', ['kernel', 'drivers', 'runner', 'domains']),
    never('compose-knows-no-cli', '^server/src/compose/', '^server/src/cli/'),
    never('supervisor-is-a-program', '^server/src/(?!supervisor/)', '^server/src/supervisor/'),
    // It checks any host, so it shares nothing with this one but pure helpers.
    never(
      'conformance-knows-no-server',
      '^server/src/cli/conformance/',
      '^(?:server/src/(?!cli/conformance/)|shared/src/(?!kernel/))',
    ),
    never('os-through-the-runner', '^server/src/(?!(?:os|runner|supervisor)/)', '^server/src/os/'),

    // Domains: downwards only, and through index.ts. A schema or a store may join the tables of a lower domain.
    ...domainsImportDown,
    never(
      'vocabulary-is-lowest',
      lowestVocabulary,
      '^shared/src/(?!kernel/|(?:limits|vendor)[.]ts$)',
      lowestVocabulary,
    ),
    throughIndex('domain-to-domain-through-index', 'domains'),
    throughIndex('driver-to-driver-through-index', 'drivers'),
    never('domains-through-index', '^server/src/(?!domains/)', '^server/src/domains/', '/index[.]ts$'),
    never('drivers-through-index', '^server/src/(?!drivers/)', '^server/src/drivers/', '/index[.]ts$'),
    never(
      'runner-through-index',
      '^server/src/(?!(?:runner|runner-machine|supervisor)/)',
      '^server/src/runner/',
      '/index[.]ts$',
    ),
    {
      name: 'joins-through-schema',
      severity: 'error',
      from: {
        path: '^server/src/domains/([^/]+)/(?:attention-|changes-|feed-|match-|members-|named-|queue-|run-|waiting-|work-)?(?:schema|store)[.]ts$',
      },
      to: { path: '^server/src/domains/', pathNot: ['^server/src/domains/$1/', '/index[.]ts$', schema] },
    },

    // Layers of a domain: routes -> service -> store -> schema.
    never('schema-imports-schema', schema, '^server/src/', schema),
    never('store-knows-no-service', `(?:${store}|${schema})`, '/(?:service|routes|[a-z]+-handler)[.]ts$'),
    never('service-knows-no-routes', '/(?:service|[a-z]+-handler)[.]ts$', '/routes[.]ts$'),
    never('routes-use-the-service', '/routes[.]ts$', `(?:${store}|${schema}|/[a-z]+-handler[.]ts$)`),

    // The renderer: api and ui <- components <- features <- app.
    never('i18n-is-lowest', '^renderer/src/i18n/', '^renderer/src/(?!i18n/)'),
    never('api-knows-no-component', '^renderer/src/api/', '^renderer/src/(?!api/|i18n/)'),
    never('ui-is-primitive', '^renderer/src/ui/', '^renderer/src/(?!ui/|i18n/)'),
    never('components-know-no-feature', '^renderer/src/components/', '^renderer/src/(?:features|app)/'),
    never('features-know-no-app', '^renderer/src/features/', '^renderer/src/app/'),
    {
      name: 'features-are-islands',
      severity: 'error',
      from: { path: '^renderer/src/features/([^/]+)/', pathNot: test },
      to: { path: '^renderer/src/features/', pathNot: '^renderer/src/features/$1/' },
    },

    // Permitted users of each library.
    only('stores-use-sql', '(?:^|/)node_modules/(?:drizzle-orm|better-sqlite3)/', [
      `(?:${store}|${schema})`,
      '^server/src/kernel/(?:conditions|db|ledger-copy|orm|outbox|installation|wal|workspace-finder)[.]ts$',
      '^server/src/kernel/http/receipts[.]ts$',
    ]),
    only('http-uses-fastify', '(?:^|/)node_modules/fastify/', [
      '^server/src/compose/app[.]ts$',
      '^server/src/kernel/http/',
    ]),
    only('os-spawns', '^(?:node:)?child_process$', ['^server/src/os/spawn[.]ts$', '^electron/src/try-desktop[.]ts$']),
    only('desktop-uses-electron', '(?:^|/)node_modules/electron/', ['^electron/src/']),

    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [test, '[.]config[.]', '[.]d[.]ts$', ...programs],
      },
      to: {},
    },
    {
      name: 'no-unreachable',
      severity: 'error',
      from: { path: programs },
      to: {
        path: '^(?:electron|renderer|server|shared)/src/',
        pathNot: [test, '[.]d[.]ts$', ...programs],
        reachable: false,
      },
    },
    never(
      'no-tests-in-product',
      '^(?:electron|renderer|server|shared)/src/',
      '(?:[.]test[.]tsx?$|^server/test/|^e2e/)',
    ),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
