import { expect, test } from 'vitest';
import { findSandboxProblem, type Restrictions, readRestrictions } from './sandbox-problem.ts';

const free: Restrictions = { hasFilter: false, profile: undefined, coveredPaths: [], forbidding: [] };
const container: Restrictions = {
  hasFilter: true,
  profile: 'docker-default',
  coveredPaths: ['/proc/sys'],
  forbidding: [],
};
const allOptions =
  '--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined';
const noNamespace =
  'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap>.\n';
const limit =
  'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)\n';
const procMount = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n";
const ubuntu = { ...free, forbidding: ['kernel.apparmor_restrict_unprivileged_userns=0'] };

test.each<[title: string, printed: string, restrictions: Restrictions, code: string, remedy: string]>([
  ['a filter of a container', noNamespace, container, 'seccomp', allOptions],
  [
    'a setting of Debian',
    noNamespace,
    { ...free, forbidding: ['kernel.unprivileged_userns_clone=1'] },
    'namespaces_disabled',
    'kernel.unprivileged_userns_clone=1',
  ],
  [
    'a setting beside a filter',
    limit,
    { ...container, forbidding: ['user.max_user_namespaces=28633'] },
    'namespaces_disabled',
    'user.max_user_namespaces=28633',
  ],
  ['a sandbox around the server', limit, free, 'namespaces_exhausted', 'outside that sandbox'],
  ['a masked /proc', procMount, { ...free, coveredPaths: ['/proc/sys'] }, 'proc_masked', 'systempaths=unconfined'],
  ['a read-only /proc', 'bwrap: setting up uid map: Read-only file system\n', free, 'proc_masked', 'systempaths'],
  [
    'AppArmor of Ubuntu',
    'bwrap: setting up uid map: Permission denied\n',
    ubuntu,
    'apparmor',
    ubuntu.forbidding[0] ?? '',
  ],
  [
    'AppArmor without loopback',
    'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n',
    ubuntu,
    'apparmor',
    'sysctl',
  ],
  ['AppArmor of a container', 'bwrap: Failed to make / slave: Permission denied\n', container, 'apparmor', allOptions],
  [
    'a filter that refuses mounts',
    'bwrap: Failed to make / slave: Operation not permitted\n',
    container,
    'seccomp',
    'RestrictNamespaces',
  ],
  ['an old bubblewrap', 'bwrap: Unknown option --disable-userns\n', free, 'outdated', 'Install a newer bubblewrap'],
  ['a tool that fails', 'panic: no such instruction\n', free, 'tool_failed', 'tofu install'],
])('names the remedy for %s', (_, printed, restrictions, code, remedy) => {
  const problem = findSandboxProblem(printed, restrictions);
  expect(problem.code).toBe(code);
  expect(problem.message).toContain(remedy);
  expect(problem.message).toMatch(/^[A-Zb].*\.$/);
});

test('repeats what bubblewrap printed when nothing else explains it', () => {
  const problem = findSandboxProblem("bwrap: Can't find source path /usr: No such file or directory\n", free);
  expect(problem).toEqual({
    code: 'unknown',
    message: "bubblewrap failed with: Can't find source path /usr: No such file or directory",
  });
});

test('reads what the kernel reports of a container', () => {
  const files: Record<string, string> = {
    '/proc/self/status': 'Name:\tnode\nSeccomp:\t2\nSeccomp_filters:\t1\n',
    '/proc/self/attr/current': 'docker-default (enforce)\n',
    '/proc/self/mountinfo':
      '20 1 0:1 / / ro - overlay overlay rw\n21 20 0:2 / /proc rw - proc proc rw\n22 21 0:2 /sys /proc/sys ro - proc proc rw\n',
    '/proc/sys/user/max_user_namespaces': '0\n',
  };
  expect(readRestrictions((file) => files[file] ?? '')).toEqual({
    hasFilter: true,
    profile: 'docker-default',
    coveredPaths: ['/proc/sys'],
    forbidding: ['user.max_user_namespaces=28633'],
  });
});

test('reads no restriction where the kernel reports none, and an unconfined process has no profile', () => {
  expect(readRestrictions(() => '')).toEqual(free);
  expect(readRestrictions((file) => (file.endsWith('current') ? 'unconfined\n' : ''))).toEqual(free);
});
