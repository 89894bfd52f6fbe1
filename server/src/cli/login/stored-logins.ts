import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createKeychainEntry, KeySourceError, readPrivateFile } from '../../drivers/vault/index.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import { makeFolder, writeDurably } from '../../kernel/disk.ts';
import { entryFile } from '../../kernel/entry.ts';
import { withFileLock } from '../../kernel/file-lock.ts';
import type { Environment } from '../../kernel/settings.ts';
import { runTool } from '../../runner/index.ts';
import { failed } from '../exit-codes.ts';

/** The person's environment, which decides where logins are stored. */
export type Host = { env: Environment; home: string; platform: NodeJS.Platform };

const Tokens = z.strictObject({
  refreshToken: z.string(),
  accessToken: z.string(),
  /** Epoch milliseconds. */
  accessExpiresAt: z.number(),
});
export type LoginTokens = z.infer<typeof Tokens>;

const StoredLogin = z.strictObject({
  url: z.string(),
  workspaceId: z.string(),
  workspaceHandle: z.string(),
  /** ISO 8601. */
  signedInAt: z.string(),
  storage: z.enum(['keychain', 'file']),
  /** Present when the person chose this file instead of the keychain. */
  tokens: Tokens.optional(),
});
export type Login = Omit<z.infer<typeof StoredLogin>, 'tokens'>;
export type Logins = ReturnType<typeof openLogins>;

/** The keychain may wait for a person, and the server for ten seconds. */
const lockTimes = { waitMs: 90_000, staleMs: 120_000 };

/** Returns the configuration folder of the person (XDG Base Directory Specification; on Windows, APPDATA). */
function configDirOf({ env, home, platform }: Host): string {
  const onWindows = () => env['APPDATA'] || path.join(home, 'AppData', 'Roaming');
  const base = platform === 'win32' ? onWindows() : env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  return path.join(base, 'groundctl');
}

/** Opens the logins of this person: one file for each server, and its tokens in the keychain. */
export function openLogins(host: Host) {
  const folder = path.join(configDirOf(host), 'logins');
  const fileOf = (url: string): string => path.join(folder, `${sha256Hex(url).slice(0, 32)}.json`);
  const entryOf = (url: string) =>
    createKeychainEntry({
      account: `groundctl ${url}`,
      run: runTool,
      nodePath: process.execPath,
      entry: entryFile('keychain-child'),
      env: host.env,
    });
  /** Deletes the tokens of a login from the keychain. In a file they end with the login. */
  const removeTokens = async ({ url, storage }: Pick<Login, 'url' | 'storage'>): Promise<void> => {
    if (storage === 'keychain') await atKeychain(() => entryOf(url).write(undefined));
  };

  return {
    /** Lists logins by address, without their tokens. */
    list: (): Login[] =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => readRecord(path.join(folder, name)) ?? [])
        .map(({ tokens: _secret, ...login }) => login)
        .sort((one, other) => one.url.localeCompare(other.url)),

    find: (url: string): Login | undefined => readRecord(fileOf(url)),

    /** Requires that tokens can be stored, before a person is sent to the browser. */
    async requireStorage({ url, storage }: Pick<Login, 'url' | 'storage'>): Promise<void> {
      if (storage === 'keychain') await atKeychain(() => entryOf(url).read());
    },

    /** Returns the tokens of a login; undefined when there is none. */
    async readTokens(url: string): Promise<LoginTokens | undefined> {
      const record = readRecord(fileOf(url));
      if (record?.storage !== 'keychain') return record?.tokens;
      const text = await atKeychain(() => entryOf(url).read());
      return text === undefined ? undefined : Tokens.safeParse(parse(text)).data;
    },

    /** Stores a login durably. Its tokens are written first, so that no login is listed without them. */
    async save(login: Login, tokens: LoginTokens): Promise<void> {
      const { url, storage } = login;
      if (storage === 'keychain') await atKeychain(() => entryOf(url).write(JSON.stringify(tokens)));
      const record = { ...login, ...(storage === 'file' && { tokens }) };
      writeOwnFile(fileOf(url), `${JSON.stringify(record)}\n`);
    },

    removeTokens,

    /** Deletes a login with its tokens. */
    async remove(login: Pick<Login, 'url' | 'storage'>): Promise<void> {
      await removeTokens(login);
      rmSync(fileOf(login.url), { force: true });
    },

    /** Runs work while no other command uses the tokens of this login. */
    alone<T>(url: string, work: () => Promise<T>): Promise<T> {
      const file = fileOf(url);
      const onUnwritable = (error: unknown) => unwritableError(file, error);
      return withFileLock(file, { ...lockTimes, onHeld: () => heldError(url), onUnwritable }, work);
    },
  };
}

function readRecord(file: string): z.infer<typeof StoredLogin> | undefined {
  const text = readOwnFile(file);
  if (text === undefined) return undefined;
  const parsed = StoredLogin.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  throw failed('login_damaged', `${file} is not a login of this version. Delete it, then run \`groundctl login URL\`.`);
}

function readOwnFile(file: string): string | undefined {
  try {
    return readPrivateFile(file);
  } catch (error) {
    if (error instanceof KeySourceError) throw failed('login_refused', error.message);
    throw error;
  }
}

function writeOwnFile(file: string, text: string): void {
  try {
    makeFolder(path.dirname(file));
    writeDurably(file, text);
  } catch (error) {
    throw unwritableError(file, error);
  }
}

function unwritableError(file: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  return failed('login_refused', `${file} cannot be written (${code}). Make its folder writable, then try again.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function atKeychain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeySourceError)) throw error;
    if (error.reason === 'keychain_locked') throw failed(error.reason, error.message);
    throw failed(
      error.reason,
      'No keychain is available in this session, so a login cannot be kept there. Start one, use --insecure-storage to keep it in a file, or put a token into GROUNDCTL_TOKEN.',
    );
  }
}

const heldError = (url: string): Error =>
  failed('login_in_use', `Another command has been using the login at ${url} for too long. End it, then try again.`);
