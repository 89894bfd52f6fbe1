import { readFileSync } from 'node:fs';
import { isImplemented, nameOfSystem } from '#server/kernel/platforms';
import type { SandboxProblem } from '#shared/execution/tool';

type Code = SandboxProblem['code'];

/** Restrictions of this process that the kernel reports. A container sets most of them. */
export type Restrictions = {
  /** A filter of system calls applies (seccomp(2)). */
  hasFilter: boolean;
  /** Name of the AppArmor profile; undefined without one. */
  profile: string | undefined;
  /** Paths below `/proc` that something is mounted over. */
  coveredPaths: readonly string[];
  /** Settings of the kernel that forbid user namespaces, with the value that allows them. */
  forbidding: readonly string[];
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Settings of the kernel with the value that forbids user namespaces, and one that allows them. */
const settings = [
  ['user.max_user_namespaces', '0', '28633'],
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
] as const;

/** Reads the restrictions of this process. `read` returns an empty text for a missing file. */
export function readRestrictions(read: (file: string) => string = readText): Restrictions {
  const profile = read('/proc/self/attr/current').replaceAll('\0', '').trim();
  return {
    hasFilter: /^Seccomp:\s*2$/m.test(read('/proc/self/status')),
    profile: /\(enforce\)$/.test(profile) ? profile.replace(/ \(enforce\)$/, '') : undefined,
    coveredPaths: [...read('/proc/self/mountinfo').matchAll(/^(?:\S+ ){4}(\/proc\/\S+)/gm)].map(
      ([, path = '']) => path,
    ),
    forbidding: settings
      .filter(([name, value]) => read(`/proc/sys/${name.replaceAll('.', '/')}`).trim() === value)
      .map(([name, , allowed]) => `${name}=${allowed}`),
  };
}

/** Messages of bubblewrap, most specific first. `needs` separates two causes of the same message. */
const patterns: readonly { code: Code; text: RegExp; needs?: (restrictions: Restrictions) => boolean }[] = [
  { code: 'outdated', text: /^bwrap: Unknown option/m },
  { code: 'proc_masked', text: /^bwrap: Can't mount proc/m },
  { code: 'proc_masked', text: /^bwrap: setting up .id map: Read-only file system/m },
  { code: 'namespaces_disabled', text: /No permissions to creat|Creating new namespace failed/, needs: isForbidden },
  { code: 'namespaces_exhausted', text: /^bwrap: Creating new namespace failed: .*(?:ENOSPC|No space left)/m },
  { code: 'seccomp', text: /No permissions to creat|Creating new namespace failed/, needs: (has) => has.hasFilter },
  { code: 'namespaces_disabled', text: /No permissions to creat|Creating new namespace failed/ },
  // A profile lets a namespace be created, and then takes its rights: to map users, to mount, to set up loopback.
  { code: 'apparmor', text: /^bwrap: .*(?:Permission denied|RTM_NEWADDR)/m, needs: (has) => isConfined(has) },
  { code: 'seccomp', text: /^bwrap: .*Operation not permitted/m, needs: (has) => has.hasFilter },
];

/** True when a setting forbids all user namespaces; that of AppArmor lets them be created. */
function isForbidden({ forbidding }: Restrictions): boolean {
  return forbidding.some((setting) => !setting.includes('apparmor'));
}

const isConfined = ({ profile, forbidding }: Restrictions): boolean =>
  profile !== undefined || forbidding.some((setting) => setting.includes('apparmor'));

/** Options of `docker run` that lift each restriction a container has. */
function containerOptions({ hasFilter, profile, coveredPaths }: Restrictions): string {
  const options = [
    ...(hasFilter ? ['seccomp=unconfined'] : []),
    ...(profile === undefined ? [] : ['apparmor=unconfined']),
    ...(coveredPaths.length > 0 ? ['systempaths=unconfined'] : []),
  ];
  return options.map((option) => `--security-opt ${option}`).join(' ');
}

const inContainer = (restrictions: Restrictions): string =>
  `Start the container with ${containerOptions(restrictions)}, or run it in Kubernetes as resources/kubernetes/runner.yaml does`;

const outsideContainer = ({ forbidding }: Restrictions): string =>
  `Set ${forbidding.join(' and ') || 'user.max_user_namespaces=28633'} with sysctl on the host`;

/** The fact and the remedy of each reason. */
const sentences: {
  readonly [code in Exclude<Code, 'unknown'>]: (has: Restrictions) => [fact: string, remedy: string];
} = {
  unsupported_system: () => [`${nameOfSystem(process.platform)} has no sandbox`, 'Use a server on Linux'],
  not_installed: () => ['bubblewrap is not installed', 'Install bubblewrap and restart the server'],
  outdated: () => ['bubblewrap is older than 0.8', 'Install a newer bubblewrap and restart the server'],
  namespaces_disabled: (has) => ['The kernel does not allow user namespaces', outsideContainer(has)],
  namespaces_exhausted: () => [
    'The limit of user namespaces is reached, or a sandbox around the server forbids them',
    'Raise user.max_user_namespaces with sysctl on the host, or start the server outside that sandbox',
  ],
  seccomp: (has) => [
    'A filter of system calls (seccomp) forbids a sandbox to the server',
    `${inContainer(has)}. In a service of systemd, leave out RestrictNamespaces and SystemCallFilter`,
  ],
  apparmor: (has) =>
    has.profile === undefined
      ? ['AppArmor restricts user namespaces', outsideContainer(has)]
      : [`The AppArmor profile ${has.profile} forbids the mounts of a sandbox`, inContainer(has)],
  proc_masked: (has) => [
    'Parts of /proc are masked or read-only, so the kernel refuses a new /proc to a sandbox',
    inContainer({ ...has, coveredPaths: ['/proc'] }),
  ],
  tool_failed: () => ['The tool did not start inside the sandbox', 'Install it with groundctl tofu install'],
};

/** Returns the reason with its sentence. */
function describe(code: Exclude<Code, 'unknown'>, restrictions: Restrictions): SandboxProblem {
  return { code, message: `${sentences[code](restrictions).join('. ')}.` };
}

const longestText = 200;

/** Returns why bubblewrap failed, from what it printed and from the restrictions that the kernel reports. */
export function findSandboxProblem(printed: string, restrictions: Restrictions): SandboxProblem {
  const code = patterns.find(({ text, needs }) => text.test(printed) && (needs?.(restrictions) ?? true))?.code;
  if (code !== undefined && code !== 'unknown') return describe(code, restrictions);
  const line = /^bwrap: .*$/m.exec(printed)?.[0];
  if (line === undefined) return describe('tool_failed', restrictions);
  return { code: 'unknown', message: `bubblewrap failed with: ${line.slice('bwrap: '.length, longestText)}` };
}

/** Returns why this machine has no bubblewrap. */
export const missingSandbox = (): SandboxProblem =>
  describe(isImplemented('sandbox') ? 'not_installed' : 'unsupported_system', readRestrictions());
