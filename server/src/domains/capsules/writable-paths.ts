import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { invalidArgument } from '#server/kernel/errors';

/** Owned by the system or by the sandbox: refused with everything below. */
const systemFolders = [
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'proc',
  'run',
  'sbin',
  'svc',
  'sys',
  'usr',
];
const macFolders = ['System', 'Library', 'private/etc', 'private/var/db'];
/** Refused themselves; a folder below may be named. */
const sharedFolders = ['home', 'mnt', 'media', 'opt', 'private', 'root', 'srv', 'tmp', 'var', 'Users', 'Volumes'];
/** Each direct child of these is a home folder. */
const homesOf = ['/home', '/Users'];
const hiddenInHome = /^\/(?:home|Users)\/[^/]+\/\./;

export type WritablePathsPorts = {
  /** False for a server that other machines reach. */
  isLocal: boolean;
  /** Home folder of the user that runs the server. */
  home: string;
  /** Folders and files of the server: no path may contain one or lie in one. */
  reserved: readonly string[];
};

/**
 * Validates the folders of the host that the Runs of a Capsule may write to: absolute, existing, without links, not nested. Returns them
 * sorted and without repeats. 400 `writable_path_refused` with the JSON Pointer in `details.field`.
 */
export function requireWritablePaths(paths: readonly string[], ports: WritablePathsPorts): string[] {
  if (paths.length > 0 && !ports.isLocal)
    throw refused(
      '/writablePaths',
      'A server that other machines reach does not let a module write outside its own folder. Leave the list empty.',
    );
  for (const [index, named] of paths.entries()) {
    const problem = findProblem(named, ports);
    if (problem !== undefined) throw refused(`/writablePaths/${index}`, problem);
  }
  const sorted = [...new Set(paths)].sort();
  const nested = paths.findIndex((one) => sorted.some((other) => other !== one && isIn(other, one)));
  if (nested >= 0)
    throw refused(`/writablePaths/${nested}`, 'The folder lies in another one of the list. Name only one of them.');
  return sorted;
}

/** Returns the folders of a Capsule that its Runs may still write to: none when the server is now reachable from other machines. */
export const listUsablePaths = (paths: readonly string[], ports: WritablePathsPorts): string[] =>
  ports.isLocal ? paths.filter((one) => findProblem(one, ports) === undefined) : [];

function findProblem(named: string, { home, reserved }: WritablePathsPorts): string | undefined {
  if (!path.posix.isAbsolute(named) || path.posix.normalize(named) !== named || (named !== '/' && named.endsWith('/')))
    return 'Name the folder by its absolute path, without "..", "//" or a slash at the end.';
  if (isSystem(named)) return 'The folder belongs to the system. Name a folder of your own.';
  if (isHome(named, home)) return 'This is a whole home folder. Name a folder in it.';
  if (named.startsWith(`${home}/.`) || hiddenInHome.test(named))
    return 'The folder contains settings of your programs. Name another one.';
  if (reserved.some((one) => isIn(named, one) || isIn(one, named)))
    return 'The folder contains data or programs that this server uses, or lies in them. Name another one.';
  return isRealFolder(named)
    ? undefined
    : 'The folder does not exist, or its path contains a link. Create it, or name the target of the link.';
}

const isSystem = (file: string): boolean =>
  file === '/' ||
  [...systemFolders, ...macFolders].some((name) => isIn(`/${name}`, file)) ||
  sharedFolders.some((name) => file === `/${name}`);

const isHome = (file: string, home: string): boolean => isIn(file, home) || homesOf.includes(path.posix.dirname(file));

/** True when no component of the path is a link. */
function isRealFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory() && realpathSync(file) === file;
  } catch {
    return false;
  }
}

/** True when the file is the folder or lies below it. */
const isIn = (folder: string, file: string): boolean => file === folder || file.startsWith(`${folder}/`);

const refused = (field: string, message: string) => invalidArgument('writable_path_refused', message, { field });
