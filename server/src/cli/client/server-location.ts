import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { operatorUrlOf, type RuntimeFile, readRuntimeFile } from '../../kernel/runtime-files.ts';
import { defaultDataDir, type Environment, isLoopbackHost } from '../../kernel/settings.ts';
import { CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { createLoginToken } from '../login/login-token.ts';
import { type Host, openLogins } from '../login/stored-logins.ts';

/** Address of the chosen server, and the credential to use there. */
export type ServerLocation = {
  /** Returns its origin, which can change when the server restarts on the same folder. */
  origin: () => string;
  /** Description of the server for messages. */
  called: string;
  credential:
    | { kind: 'token'; token: string }
    /** Tokens of `groundctl login`, which are renewed as needed. */
    | { kind: 'login'; url: string; getToken: () => Promise<string> }
    /** The operator's routes may be reached at another address. */
    | { kind: 'operator'; token: string; origin: () => string };
  /** Returns the desktop that the server runs in. */
  desktop?: () => RuntimeFile['desktop'];
  /** True when paths of this machine are valid for the server. */
  isHere: boolean;
};

type ServerLocationInput = { dataDir?: string | undefined; url?: string | undefined };

export const here = (): Host => ({ env: process.env, home: homedir(), platform: process.platform });
const noServer = (dataDir: string): CommandError =>
  failed(
    'no_server',
    `No server runs on ${dataDir}. Start one with: groundctl serve --data-dir ${dataDir}, or name one with --data-dir or --url.`,
  );

/** Finds the server: options win over the environment, an address over a folder of the environment. */
export function findServerLocation({ dataDir, url }: ServerLocationInput, host: Host = here()): ServerLocation {
  const { env, home, platform } = host;
  if (dataDir !== undefined && url !== undefined)
    throw wrongUse('Name the server by --data-dir or by --url, not both.');
  const address = url ?? (dataDir === undefined ? env['GROUNDCTL_URL'] || undefined : undefined);
  if (address !== undefined) return atAddress(address, host);
  return onFolder(path.resolve(dataDir ?? (env['GROUNDCTL_DATA_DIR'] || defaultDataDir(env, home, platform))), env);
}

function atAddress(address: string, host: Host): ServerLocation {
  const origin = requireOrigin(address, '--url');
  const { hostname } = new URL(origin);
  return {
    origin: () => origin,
    called: origin,
    credential: credentialAt(origin, host),
    isHere: isLoopbackHost(hostname),
  };
}

/** Returns the token of the environment, else the login at this address. */
function credentialAt(origin: string, host: Host): ServerLocation['credential'] {
  const token = host.env['GROUNDCTL_TOKEN'];
  if (token) return { kind: 'token', token: requireToken(token) };
  const logins = openLogins(host);
  if (logins.find(origin)) return { kind: 'login', url: origin, getToken: createLoginToken(logins, origin) };
  const message = `You are not logged in at ${origin}. Run \`groundctl login ${origin}\`, or put a token into the environment variable GROUNDCTL_TOKEN.`;
  throw new CommandError(message, { exitCode: exitCodes.wrongUse, code: 'no_token' });
}

/** Requires a token without line breaks, which a header cannot hold. The HTTP client's own error would include the token. */
export function requireToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw wrongUse(
    'GROUNDCTL_TOKEN does not hold a valid token: it has spaces, line breaks or other invalid characters.',
  );
}

/** Requires https except on this machine: every request carries the token, which must not cross a network unencrypted. */
export function requireOrigin(address: string, called: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.pathname !== '/' || url.search || url.hash)
    throw wrongUse(
      `${called} takes an origin such as https://ground.example or http://127.0.0.1:4600, without a path.`,
    );
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw wrongUse(
      'Plain http:// is for this machine alone: the token would cross the network in clear. Use https://.',
    );
  return url.origin;
}

function onFolder(dataDir: string, env: Environment): ServerLocation {
  const first = readRuntimeFile(dataDir);
  if (first === undefined) throw noServer(dataDir);
  let last = first;
  const latest = () => {
    // While a server restarts there is no file, so its last address is used.
    last = readRuntimeFile(dataDir) ?? last;
    return last;
  };
  const token = env['GROUNDCTL_TOKEN'];
  return {
    origin: () => latest().url,
    called: dataDir,
    desktop: () => latest().desktop,
    credential: token
      ? { kind: 'token', token: requireToken(token) }
      : {
          kind: 'operator',
          token: env['SVC_OPERATOR_TOKEN'] || readOperatorToken(dataDir),
          origin: () => operatorUrlOf(latest()),
        },
    isHere: true,
  };
}

function readOperatorToken(dataDir: string): string {
  const file = path.join(dataDir, 'operator-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw failed(
      'no_token',
      `${file} cannot be read. Run this as the user who started the server, or set GROUNDCTL_TOKEN.`,
    );
  }
}
