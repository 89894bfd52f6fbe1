import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, type Environment, takesCredentials } from '../../os/environment.ts';
import { credentialFolder } from '../../os/memory-folder.ts';
import { removeCredentialFiles } from '../../runner/contract/credential-folders.ts';
import type { LaunchContext } from '../launch-context.ts';
import { RunFailure } from '../run-failure.ts';
import { stateFilesOf } from './producer-states.ts';

/** A file of the Run's credentials, or a complete state of another Capsule, for one command. */
export type CredentialFile = {
  /** Path as the tool sees it. */
  path: string;
  envName: string | undefined;
  /** Permission bits of the owner; all others have none. */
  mode: number;
  bytes: Buffer;
};

/** Returns the files for a command; none for commands without credentials. Throws `RunFailure` for invalid paths. */
export function credentialFilesOf({ spec, layout }: LaunchContext, command: Command): CredentialFile[] {
  if (!takesCredentials(command)) return [];
  const files = spec.credentials?.files ?? [];
  const paths = files.map((file) => file.path);
  if (!paths.every(isInside)) throw unfit('has a path that leaves the folder of the credentials');
  if (paths.some((one, index) => paths.some((other, at) => at !== index && `${other}/`.startsWith(`${one}/`))))
    throw unfit('lies where another one has a file or a folder');
  const own = files.map(({ path: relative, envName, mode, content }) => ({
    path: path.posix.join(layout.seen.credentials, relative),
    envName,
    mode: mode & 0o700 || 0o400,
    bytes: Buffer.from(content, 'base64'),
  }));
  // The tool itself reads the states of other Capsules.
  return command === 'provider' ? own : [...own, ...stateFilesOf(spec, layout)];
}

const unfit = (how: string): RunFailure =>
  new RunFailure('plan_failed', 'plan', `A file of a Connection ${how}. Give the Connection another path for it.`);

function isInside(relative: string): boolean {
  const parts = relative.split('/');
  return !relative.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Returns the environment variables of the Run's credentials, with the paths of their files as the tool sees them. */
export const credentialVariables = (
  { credentials }: Pick<LaunchContext['spec'], 'credentials'>,
  files: readonly CredentialFile[],
): Environment => ({
  ...credentials?.env,
  ...Object.fromEntries(files.flatMap(({ envName, path }) => (envName === undefined ? [] : [[envName, path]]))),
});

/** Removes the files after a command without a sandbox, and reports those that are left. */
export function clearCredentialFiles({ spec, report }: Pick<LaunchContext, 'spec' | 'report'>): void {
  if (!removeCredentialFiles(spec.capsuleDir)) report.say('system', 'error', filesLeft);
}

const filesLeft =
  'Files of the credentials could not be removed after a command: it locked their folder. Remove them by hand.';

/** Writes files for a tool without a sandbox, into a folder that holds nothing else. */
export function writeCredentialFiles(capsuleDir: string, files: readonly CredentialFile[]): void {
  removeCredentialFiles(capsuleDir);
  if (files.length === 0) return;
  // Not recursive, so that an existing folder of another user is not used.
  mkdirSync(credentialFolder(capsuleDir), { mode: 0o700 });
  for (const { path: file, mode, bytes } of files) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    chmodSync(file, mode);
  }
}
