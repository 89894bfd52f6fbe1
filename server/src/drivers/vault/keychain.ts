import { existsSync } from 'node:fs';
import path from 'node:path';
import { createStoredSource, type KeySource, KeySourceError } from './key-source.ts';
import type { KeychainAnswer, KeychainFault, KeychainRequest } from './keychain-protocol.ts';

const service = 'Ground Control';

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a program with this text as its standard input. */
export type RunChild = (options: {
  file: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  input: string;
  timeoutMs: number;
}) => Promise<{ code: number | null; stdout: string; timedOut: boolean }>;

type KeychainOptions = {
  /** Name of the entry. */
  account: string;
  run: RunChild;
  nodePath: string;
  /** Path of `keychain-child`. */
  entry: string;
  env: Environment;
  /** Time after which an unanswered prompt is abandoned. */
  timeoutMs?: number;
};

/** Environment variables by which a session's keychain is found, and no others. */
const passedNames =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|HOMEDRIVE|HOMEPATH)$/;

/** One text in the keychain of the operating system: Secret Service, macOS Keychain or Windows Credential Vault. */
export type KeychainEntry = {
  /** Returns the text; undefined when there is none. Throws `KeySourceError`. */
  read(): Promise<string | undefined>;
  /** Replaces the text; undefined removes it. Throws `KeySourceError`. */
  write(text: string | undefined): Promise<void>;
};

/** Opens an entry of the keychain, which need not exist yet. */
export function createKeychainEntry(options: KeychainOptions): KeychainEntry {
  const { account } = options;
  const request = (operation: { op: 'get' | 'delete' } | { op: 'set'; password: string }) =>
    runChild(options, { ...operation, service, account } as KeychainRequest);
  return {
    read: async () => (await request({ op: 'get' })) ?? undefined,
    write: async (text) => void (await request(text === undefined ? { op: 'delete' } : { op: 'set', password: text })),
  };
}

/** Stores master keys in the keychain, in one entry for each data folder. */
export const createKeychainSource = (options: KeychainOptions): KeySource =>
  createStoredSource({
    kind: 'keychain',
    keyLocation: `“${service}” (${options.account}) in the keychain`,
    ...createKeychainEntry(options),
    // The entry belongs to one data folder, which only one server uses at a time.
    alone: (work) => work(),
  });

async function runChild(options: KeychainOptions, request: KeychainRequest): Promise<string | null> {
  const { run, nodePath, entry, timeoutMs = 20_000 } = options;
  const env = Object.fromEntries(
    Object.entries(options.env).filter(([name, value]) => passedNames.test(name) && value !== undefined),
  ) as Record<string, string>;
  if (process.platform === 'linux' && !hasSessionBus(env)) throw faultOf('no_service');
  const done = await run({ file: nodePath, argv: [entry], env, input: JSON.stringify(request), timeoutMs });
  if (done.timedOut) throw faultOf('locked');
  const answer = parse(done.stdout);
  if (answer?.ok) return answer.value;
  throw faultOf(answer?.fault ?? 'no_service');
}

/**
 * Reports whether the session has a bus. Without one no keychain can answer, and no process may be started that would,
 * which the binding does when a display exists.
 */
function hasSessionBus({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime }: Environment): boolean {
  return Boolean(address) || (runtime !== undefined && existsSync(path.join(runtime, 'bus')));
}

/** Parses the answer; a child that crashed in native code has printed nothing. */
function parse(text: string): KeychainAnswer | undefined {
  try {
    return JSON.parse(text) as KeychainAnswer;
  } catch {
    return undefined;
  }
}

const messages: Readonly<Record<KeychainFault, string>> = {
  no_binding: 'This installation has no binding to the keychain of the operating system. Install it again.',
  no_library: 'The library libsecret is missing, without which the keychain cannot be asked. Install libsecret-1-0.',
  no_service: 'No keychain answers in this session. Start one, or keep the key in a file or behind a passphrase.',
  locked: 'The keychain is locked. Unlock it, then try again.',
};

const faultOf = (fault: KeychainFault): KeySourceError =>
  new KeySourceError(fault === 'locked' ? 'keychain_locked' : 'keychain_unavailable', messages[fault]);
