import { issuerApi } from '#shared/issuer/api';
import { ApiError, createClient } from '#shared/kernel/client';
import { connect } from '../api.ts';
import { type CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { listenForCallback } from '../login/callback-listener.ts';
import { type Issuer, IssuerRefusal, IssuerUnreachable, openIssuer, type SignedIn } from '../login/issuer-client.ts';
import { type Login, type Logins, type LoginTokens, openLogins } from '../login/stored-logins.ts';
import { openBrowser } from '../open-browser.ts';
import { atTerminal, type TerminalWork } from './command.ts';
import { createLine, explain } from './line.ts';
import { here, requireOrigin } from './server-location.ts';
import { oneLine, tableText } from './text.ts';

/** The page of consent is valid as long. */
const signInMinutes = 10;

/** Signs in at a server in the browser, and stores the login for other commands. With `--list`, lists the logins. */
export const runLogin = atTerminal({ whenUnread: 'goesOn' }, async (work) => {
  const { options } = work;
  const logins = openLogins(here());
  const address = onlyArgument('login', work);
  if (options.list === true) return list(work, logins);
  if (address === undefined) throw wrongUse('groundctl login needs the address of a server, or --list.');
  const url = requireOrigin(address, 'groundctl login');
  const storage = options['insecure-storage'] === true ? 'file' : 'keychain';
  await requireIssuer(url, work);
  await logins.requireStorage({ url, storage });
  const issuer = await explainIssuerErrors(url, () => openIssuer(url));
  const complete = async ({ tokens, workspaceId }: SignedIn): Promise<Login> => {
    if (workspaceId === undefined) throw failed('no_workspace', 'The server returned no Workspace for this login.');
    const workspaceHandle = await handleOf({ url, tokens, workspaceId }, work);
    const login = { url, workspaceId, workspaceHandle, signedInAt: new Date().toISOString(), storage } as const;
    const isReplaced = await store({ logins, issuer, login, tokens });
    if (!isReplaced) work.terminal.note(earlierRemains);
    return login;
  };
  const login = await signIn({ issuer, url, complete }, work);
  if (work.terminal.isJson) work.terminal.document({ login });
  else {
    work.terminal.say(`You are logged in at ${url}, in the Workspace ${oneLine(login.workspaceHandle)}.`);
    if (storage === 'file') work.terminal.note('The login is kept in a file of your account, without encryption.');
  }
  return exitCodes.done;
});

const earlierRemains =
  'The server did not end your earlier login. It ends when it is not used for 30 days, or when you withdraw groundctl under "Your account".';

function onlyArgument(command: string, { args: [first, second] }: TerminalWork): string | undefined {
  if (second !== undefined) throw wrongUse(`groundctl ${command} takes one address.`);
  return first;
}

/** Requires a server with an issuer that has this address. */
async function requireIssuer(url: string, { signal }: TerminalWork): Promise<void> {
  const location = { origin: () => url, called: url, credential: { kind: 'token', token: '' } } as const;
  const { body } = await createClient(issuerApi, createLine(location, undefined, signal))
    .getOpenidConfiguration({})
    .catch((error) => {
      throw signal.aborted ? error : explainIssuer(error, location);
    });
  const { origin } = new URL(body.issuer);
  if (origin !== url) throw wrongUse(`The address of this server is ${origin}. Run \`groundctl login ${origin}\`.`);
}

function explainIssuer(error: unknown, location: Parameters<typeof explain>[1]): CommandError {
  if (!(error instanceof ApiError) || error.code !== 'capability_not_available') return explain(error, location);
  const message = 'The issuer of this server is disabled. Set GROUNDCTL_TOKEN to an access token.';
  return failed(error.code, message);
}

type SignInInput = {
  issuer: Issuer;
  url: string;
  /** Uses the tokens. When it fails, they are revoked. */
  complete: (signedIn: SignedIn) => Promise<Login>;
};

/** Signs in with the browser, which learns the outcome when the login is stored. */
async function signIn({ issuer, url, complete }: SignInInput, work: TerminalWork): Promise<Login> {
  const { options, signal, terminal, leaves } = work;
  const listener = await listenForCallback();
  try {
    const { address, state, exchange } = await issuer.prepareSignIn(listener.redirectUri, options.workspace ?? '');
    leaves.message = 'You are not logged in.';
    terminal.say(`Sign in here: ${address}`);
    await openBrowser(address, { env: process.env, platform: process.platform });
    const callback = await listener.wait(state, AbortSignal.any([signal, deadline()])).catch((error) => {
      throw error instanceof DOMException ? tooLate() : error;
    });
    try {
      const signedIn = await explainIssuerErrors(url, () => exchange(callback.address));
      const login = await complete(signedIn).catch(async (error) => {
        await revoke(issuer, signedIn.tokens);
        throw error;
      });
      await callback.finish('signedIn');
      return login;
    } catch (error) {
      await callback.finish('notSignedIn');
      throw error;
    }
  } finally {
    listener.close();
  }
}

const deadline = (): AbortSignal => AbortSignal.timeout(signInMinutes * 60_000);
const tooLate = (): CommandError =>
  failed('login_timeout', `The sign-in was not finished within ${signInMinutes} minutes. Run the command again.`);

/** Runs a request to the issuer, and reports why it failed. */
async function explainIssuerErrors<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IssuerRefusal)
      throw failed(
        'login_refused',
        `The server refused the sign-in: ${oneLine(error.message)}. Run the command again.`,
      );
    if (error instanceof IssuerUnreachable)
      throw failed('no_server', `The sign-in at ${url} failed, because the server does not answer. Try again.`);
    throw error;
  }
}

type Fresh = { url: string; tokens: LoginTokens; workspaceId: string };

async function handleOf({ url, tokens, workspaceId }: Fresh, { signal }: TerminalWork): Promise<string> {
  const getToken = async () => tokens.accessToken;
  const location = { origin: () => url, called: url, credential: { kind: 'login', url, getToken } } as const;
  const api = connect(createLine(location, getToken, signal));
  const { body } = await api.getWorkspace({ params: { workspaceId } }).catch((error) => {
    throw signal.aborted ? error : explain(error, location);
  });
  return body.workspace.handle;
}

/** Reports whether the server has ended a login: its refresh token, and what was issued with it. */
async function revoke(issuer: Issuer, tokens: LoginTokens): Promise<boolean> {
  try {
    await issuer.revoke(tokens);
    return true;
  } catch (error) {
    if (error instanceof IssuerRefusal || error instanceof IssuerUnreachable) return false;
    throw error;
  }
}

/** Stores a login, then ends an earlier one. Returns false when the earlier one remains at the server. */
async function store(input: { logins: Logins; issuer: Issuer; login: Login; tokens: LoginTokens }): Promise<boolean> {
  const { logins, issuer, login, tokens } = input;
  return logins.alone(login.url, async () => {
    const earlier = logins.find(login.url);
    const spent = earlier && (await logins.readTokens(login.url).catch(() => undefined));
    await logins.save(login, tokens);
    if (!earlier) return true;
    // Tokens that stay in a locked keychain are not used again.
    if (earlier.storage !== login.storage) await logins.removeTokens(earlier).catch(() => undefined);
    return spent !== undefined && (await revoke(issuer, spent));
  });
}

function list({ terminal }: TerminalWork, logins: Logins): number {
  const all = logins.list();
  if (terminal.isJson) terminal.document({ logins: all });
  else if (all.length === 0) terminal.say('You are not logged in anywhere. Log in with: groundctl login URL');
  else {
    const rows = all.map((one) => [one.url, one.workspaceHandle, one.signedInAt, one.storage]);
    for (const line of tableText(['URL', 'WORKSPACE', 'SINCE', 'STORAGE'], rows, terminal.paint)) terminal.say(line);
  }
  return exitCodes.done;
}

/** Ends a login at its server and deletes it here, also when the server cannot be reached. */
export const runLogout = atTerminal({ whenUnread: 'goesOn' }, async (work) => {
  const { terminal } = work;
  const logins = openLogins(here());
  const login = chooseLogin(logins, onlyArgument('logout', work));
  const { url } = login;
  const revoked = await logins.alone(url, async () => {
    const tokens = await logins.readTokens(url);
    await logins.remove(login);
    return tokens !== undefined && (await revokeAt(url, tokens));
  });
  if (terminal.isJson) terminal.document({ url, revoked });
  else terminal.say(`You are logged out at ${url}.`);
  if (!revoked)
    terminal.note(
      'The server could not be reached, so the login was deleted on this machine only. Withdraw groundctl under "Your account" to end it there.',
    );
  return exitCodes.done;
});

async function revokeAt(url: string, tokens: LoginTokens): Promise<boolean> {
  const issuer = await openIssuer(url).catch((error) => {
    if (error instanceof IssuerUnreachable) return undefined;
    throw error;
  });
  return issuer !== undefined && (await revoke(issuer, tokens));
}

function chooseLogin(logins: Logins, address: string | undefined): Login {
  if (address !== undefined) {
    const url = requireOrigin(address, 'groundctl logout');
    const login = logins.find(url);
    if (login) return login;
    throw failed('no_login', `You are not logged in at ${url}. List your logins with: groundctl login --list`);
  }
  const all = logins.list();
  const [only] = all;
  if (!only) throw failed('no_login', 'You are not logged in anywhere.');
  if (all.length > 1) throw wrongUse(`Name the server. You are logged in at: ${all.map(({ url }) => url).join(', ')}.`);
  return only;
}
