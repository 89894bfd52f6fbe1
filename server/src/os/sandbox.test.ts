import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildSandboxArgv } from './build-sandbox.ts';
import { namespaceArgv, probeArgv, type SandboxRequest, sandboxArgv } from './sandbox.ts';

const request: SandboxRequest = {
  host: { tree: '/c/tree', state: '/c/state', data: '/c/data', providers: '/p', tool: '/t/tofu' },
  writable: { state: true, data: false },
  network: 'none',
  dieWithParent: true,
  fds: { status: 3, cliConfig: 4 },
  workDir: '/svc/tree/m',
  command: ['/svc/tool', 'plan'],
};

/** Returns the argument that follows each use of an option. */
const valuesOf = (argv: readonly string[], option: string, count: number): string[] =>
  argv.flatMap((item, index) => (item === option ? [argv.slice(index + 1, index + 1 + count).join(' ')] : []));

test('every sandbox has its own namespaces, no capability, no way to a new user namespace, and a read-only root', () => {
  for (const argv of [sandboxArgv(request), probeArgv({ command: ['/bin/true'] })]) {
    expect(argv.slice(0, 5)).toEqual(['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL']);
    expect(argv).toContain('--as-pid-1');
    expect(argv).toContain('--new-session');
    expect(valuesOf(argv, '--remount-ro', 1)).toEqual(expect.arrayContaining(['/dev', '/']));
  }
});

test('no sandbox sees the private keys that the machine keeps beside its certificates', () => {
  const build = { host: { tree: '/b/t', home: '/b/h', tmp: '/b/p' }, fds: { status: 3 }, workDir: '.', command: ['x'] };
  const hiddenFolders = { '/etc/ssl/private': '/etc/ssl', '/etc/pki/tls/private': '/etc/pki' };
  for (const argv of [sandboxArgv(request), probeArgv({ command: ['x'] }), buildSandboxArgv(build)]) {
    for (const [folder, shown] of Object.entries(hiddenFolders)) {
      if (!existsSync(folder)) continue;
      const hidden = argv.findIndex((item, index) => item === folder && argv[index - 1] === '--tmpfs');
      expect(hidden, folder).toBeGreaterThan(argv.lastIndexOf(shown));
    }
  }
});

test('every folder in memory has a size, given before it is mounted', () => {
  const argv = sandboxArgv(request);
  argv.forEach((item, index) => {
    if (item === '--tmpfs') expect(argv[index - 2]).toBe('--size');
  });
});

test('the usual /tmp is read-only for the tool, which has a TMPDIR of its own, and named folders are writable in it', () => {
  const argv = sandboxArgv({ ...request, host: { ...request.host, writablePaths: ['/tmp/shared'] } });
  const folders = valuesOf(argv, '--tmpfs', 1);
  expect(folders).toContain('/svc/tmp');
  expect(valuesOf(argv, '--remount-ro', 1)).toContain('/tmp');
  expect(valuesOf(argv, '--remount-ro', 1)).not.toContain('/svc/tmp');
  const bind = argv.indexOf('/tmp/shared');
  expect(argv[bind - 1]).toBe('--bind');
  expect(bind).toBeGreaterThan(argv.indexOf('/tmp'));
  expect(bind).toBeLessThan(argv.lastIndexOf('/tmp'));
});

test('only the tree is always writable; state and data are when the command says so', () => {
  expect(valuesOf(sandboxArgv(request), '--bind', 2)).toEqual(['/c/tree /svc/tree', '/c/state /svc/state']);
  const init = sandboxArgv({ ...request, writable: { state: false, data: true } });
  expect(valuesOf(init, '--bind', 2)).toEqual(['/c/tree /svc/tree', '/c/data /svc/data']);
  expect(valuesOf(init, '--ro-bind', 2)).toEqual(
    expect.arrayContaining(['/c/state /svc/state', '/p /svc/providers', '/t/tofu /svc/tool']),
  );
});

test('the network of the parent is kept only for a command that needs one', () => {
  expect(sandboxArgv(request)).not.toContain('--share-net');
  expect(sandboxArgv({ ...request, network: 'outer' })).toContain('--share-net');
  expect(probeArgv({ command: ['/bin/true'] })).not.toContain('--share-net');
});

test('an entered network adds its resolver file and the descriptor that keeps it', () => {
  const own = sandboxArgv({ ...request, network: 'outer', fds: { ...request.fds, resolver: 7, leash: 8 } });
  expect(valuesOf(own, '--sync-fd', 1)).toEqual(['8']);
  expect(valuesOf(own, '--ro-bind-data', 2)).toContain('7 /etc/resolv.conf');
  expect(valuesOf(own, '--ro-bind-try', 2)).not.toContain('/etc/resolv.conf /etc/resolv.conf');
  expect(valuesOf(sandboxArgv(request), '--ro-bind-try', 2)).toContain('/etc/resolv.conf /etc/resolv.conf');
  expect(sandboxArgv(request)).not.toContain('--sync-fd');
});

test('the process that keeps a namespace has no capability, sees only programs of the host, and ends with its parent', () => {
  const argv = namespaceArgv(['/bin/true']);
  expect(argv).toEqual(expect.arrayContaining(['--unshare-user', '--unshare-net', '--cap-drop', '--die-with-parent']));
  expect(valuesOf(argv, '--ro-bind', 2)).toEqual(['/usr /usr']);
  expect(argv.filter((item) => /^--(?:bind|dev|proc|share-net)/.test(item))).toEqual([]);
});

test('an apply does not die with its supervisor', () => {
  expect(sandboxArgv(request)).toContain('--die-with-parent');
  expect(sandboxArgv({ ...request, dieWithParent: false })).not.toContain('--die-with-parent');
});

test('key, variables and CLI configuration come in by descriptor with mode 0400, and only those that exist', () => {
  const argv = sandboxArgv({ ...request, fds: { status: 3, cliConfig: 4, key: 5, variables: 6 } });
  expect(valuesOf(argv, '--perms', 4)).toEqual([
    '0400 --ro-bind-data 4 /svc/cli.tfrc',
    '0400 --ro-bind-data 5 /svc/key.json',
    '0400 --ro-bind-data 6 /svc/vars.tfvars.json',
  ]);
  expect(valuesOf(sandboxArgv(request), '--ro-bind-data', 2)).toEqual(['4 /svc/cli.tfrc']);
});

test('files of credentials come in by descriptor with their own modes', () => {
  const files = [
    { descriptor: 11, path: '/svc/credentials/a/key', mode: 0o600 },
    { descriptor: 12, path: '/svc/credentials/b', mode: 0o500 },
  ];
  expect(valuesOf(sandboxArgv({ ...request, fds: { ...request.fds, files } }), '--perms', 4)).toEqual([
    '0400 --ro-bind-data 4 /svc/cli.tfrc',
    '0600 --ro-bind-data 11 /svc/credentials/a/key',
    '0500 --ro-bind-data 12 /svc/credentials/b',
  ]);
});

test('programs and libraries of the system are found through links of /etc', () => {
  const shown = valuesOf(sandboxArgv(request), '--ro-bind-try', 2);
  for (const name of ['alternatives', 'ld.so.cache']) expect(shown).toContain(`/etc/${name} /etc/${name}`);
});

test('a plan file is read-only, and a mirror is at its configured path', () => {
  const argv = sandboxArgv({ ...request, host: { ...request.host, plan: '/r/planned/plan', mirror: '/m' } });
  expect(valuesOf(argv, '--ro-bind', 2)).toEqual(expect.arrayContaining(['/r/planned /svc/planned', '/m /svc/mirror']));
});

test('no argument sets an environment variable, because every user of the host can read arguments', () => {
  expect(sandboxArgv(request)).not.toContain('--setenv');
});
