/**
 * The walls of the house. Three questions, three kinds of rule: who stands above whom, which door is used, and who may
 * hold which tool.
 */
const { readdirSync } = require('node:fs');

// Lowest first. A room sees only the rooms before it.
const rooms = [
  'activity',
  'identity',
  'keys',
  'workspaces',
  'tokens',
  'signin',
  'runs',
  'usage',
  'sources',
  'connections',
  'capsules',
  'states',
  'interfaces',
  'shares',
  'dependencies',
  'configs',
  'bindings',
  'deploys',
  'groups',
  'updates',
  'coordinators',
  'backups',
  'care',
  'doctor',
  'dashboard',
  'operator',
  'discovery',
];
const drivers = ['archive', 'manifest', 'git', 'scan', 'tofu', 'runner', 'vault'];
const sharedFloors = ['kernel', 'variables', 'manifest'];

// A folder nobody ranked is a room without walls.
const requireRank = (base, known) => {
  for (const folder of readdirSync(base, { withFileTypes: true }))
    if (folder.isDirectory() && !known.includes(folder.name))
      throw new Error(`Rank ${base}/${folder.name} in .dependency-cruiser.cjs`);
};
requireRank('server/src', ['kernel', 'cli', ...drivers, ...rooms]);
requireRank('shared/src', [...sharedFloors, ...rooms]);

const any = (names) => `(?:${names.join('|')})`;
const test = '[.]test[.]ts$';

const never = (name, from, to, toNot) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: test },
  to: { path: to, ...(toNot && { pathNot: toNot }) },
});
const upward = rooms
  .slice(0, -1)
  .map((name, at) =>
    never(
      `${name}-looks-down`,
      `^(?:server|shared)/src/${name}/`,
      `^(?:server|shared)/src/${any(rooms.slice(at + 1))}/`,
    ),
  );
const only = (name, tool, holders) => ({
  name: `only-${name}`,
  severity: 'error',
  from: { path: '^(?:electron|renderer|server|shared)/', pathNot: [...holders, test, '^server/test/'] },
  to: { path: tool },
});

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },

    // Top folders: shared <- server <- electron, shared <- renderer.
    never('electron-uses-the-server-door', '^electron/', '^(?:renderer/|server/src/(?!index[.]ts$))'),
    never('server-knows-no-window', '^server/', '^(?:renderer|electron)/'),
    never('shared-stands-alone', '^shared/', '^(?:server|renderer|electron)/'),
    never('shared-is-pure', '^shared/', '^(?:node:|fs$|path$|crypto$)'),

    // Inside the server: the kernel is the floor, drivers know no room, rooms look down only.
    never('kernel-is-the-floor', '^server/src/kernel/', '^server/src/(?!kernel/)'),
    never(
      'drivers-know-no-room',
      `^server/src/${any(drivers)}/`,
      `^server/src/(?!kernel/|${drivers.map((name) => `${name}/`).join('|')})`,
    ),
    ...upward,
    never('app-is-the-roof', `^server/src/${any(rooms)}/`, '^server/src/(?:cli/|[^/]+[.]ts$)'),

    // Doors: another room is entered through index.ts; a schema may point at a schema.
    {
      name: 'use-the-door',
      severity: 'error',
      from: { path: '^server/src/([^/]+)/', pathNot: [test, 'schema[.]ts$', 'store[.]ts$'] },
      to: { path: '^server/src/[^/]+/', pathNot: ['^server/src/$1/', '^server/src/kernel/', '/index[.]ts$'] },
    },
    never('schema-sees-schema', 'schema[.]ts$', '^server/src/', 'schema[.]ts$'),

    // Inside a room: route -> service -> store -> schema.
    never('store-is-the-bottom', '/(?:store|schema)[.]ts$', '/(?:service|routes|jobs)[.]ts$'),
    never('service-knows-no-http', '/(?:service|jobs)[.]ts$', '/routes[.]ts$'),
    never('routes-ask-the-service', '/routes[.]ts$', '/(?:store|schema|jobs)[.]ts$'),

    // Tools and the hands that may hold them.
    only('store-touches-sql', '(?:^|/)node_modules/(?:drizzle-orm|better-sqlite3)/', [
      '/(?:feed-|members-|queue-)?(?:store|schema)[.]ts$',
      '^server/src/kernel/(?:conditions|db|outbox|installation)[.]ts$',
      '^server/src/kernel/http/receipts[.]ts$',
    ]),
    only('http-touches-fastify', '(?:^|/)node_modules/fastify/', ['^server/src/app[.]ts$', '^server/src/kernel/http/']),
    only('runner-spawns', '^(?:node:)?child_process$', [
      '^server/src/runner/spawn[.]ts$',
      '^electron/src/try-desktop[.]ts$',
    ]),
    only('desktop-touches-electron', '(?:^|/)node_modules/electron/', ['^electron/src/']),

    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          test,
          '[.]config[.]',
          '^server/src/(?:cli/main|runner/supervisor/main|git/git-worker|scan/scan-worker|vault/keychain-child|connections/check/main|discovery/client/(?:client|declarations))[.]ts$',
          '^electron/(?:start|src/preload)[.]ts$',
        ],
      },
      to: {},
    },
    never('no-tests-in-product', '^(?:server|shared)/src/', '(?:[.]test[.]ts$|^server/test/|^e2e/)'),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'server/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
