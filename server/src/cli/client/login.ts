import { issuerApi } from '#shared/issuer/api';
import { ApiError, createClient } from '#shared/kernel/client';
import { connect } from '../api.ts';
import { type CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { listenForCallback } from '../login/callback-listener.ts';
import { type Issuer, IssuerRefusal, IssuerUnreachable, openIssuer } from '../login/issuer-client.ts';
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
  const { tokens, workspaceId } = await signIn(issuer, url, work);
  const workspaceHandle = await handleOf({ url, tokens, workspaceId }, work);
  const login = { url, workspaceId, workspaceHandle, signedInAt: new Date().toISOString(), storage } as const;
  await store({ logins, issuer, login, tokens });
  if (work.terminal.isJson) work.terminal.document({ login });
  else {
    work.terminal.say(`You are logged in at ${url}, in the Workspace ${oneLine(workspaceHandle)}.`);
    if (storage === 'file') work.terminal.note('The login is kept in a file of your account, without encryption.');
  }
  return exitCodes.done;
});

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
  const message = 'This server signs no programs in: its issuer is off. Put a token into GROUNDCTL_TOKEN instead.';
  return failed(error.code, message);
}

async function signIn(issuer: Issuer, url: string, { options, signal, terminal, leaves }: TerminalWork) {
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
      const { tokens, workspaceId } = await explainIssuerErrors(url, () => exchange(callback.address));
      if (workspaceId === undefined)
        throw failed('no_workspace', 'The login is for no Workspace. Update the server, then log in again.');
      await callback.finish('signedIn');
      return { tokens, workspaceId };
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
  const api = connect(createLine({ origin: () => url }, async () => tokens.accessToken, signal));
  return (await api.getWorkspace({ params: { workspaceId } })).body.workspace.handle;
}

/** Stores a login in place of an earlier one, which is revoked. A login that cannot be stored is revoked itself. */
async function store(input: { logins: Logins; issuer: Issuer; login: Login; tokens: LoginTokens }): Promise<void> {
  const { logins, issuer, login, tokens } = input;
  const revoke = (ended: LoginTokens) => issuer.revoke(ended).catch(() => undefined);
  await logins.alone(login.url, async () => {
    try {
      const earlier = logins.find(login.url);
      const spent = earlier && (await logins.readTokens(login.url).catch(() => undefined));
      if (earlier && earlier.storage !== login.storage) await logins.remove(earlier);
      await logins.save(login, tokens);
      if (spent) await revoke(spent);
    } catch (error) {
      await revoke(tokens);
      throw error;
    }
  });
}

function list({ terminal }: TerminalWork, logins: Logins): number {
  const all = logins.list();
  if (terminal.isJson) terminal.document({ logins: all });
  else if (all.length === 0) terminal.say('You are not logged in anywhere. Log in with: groundctl login URL');
  else {
    const rows = all.map((one) => [one.url, one.workspaceHandle, one.signedInAt, one.storage]);
    for (const line of tableText(['URL', 'WORKSPACE', 'SINCE', 'KEPT IN'], rows, terminal.paint)) terminal.say(line);
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
      'The server could not end the login, so only this machine forgot it. Withdraw groundctl under "Your account" to end it there.',
    );
  return exitCodes.done;
});

async function revokeAt(url: string, tokens: LoginTokens): Promise<boolean> {
  try {
    const issuer = await openIssuer(url);
    await issuer.revoke(tokens);
    return true;
  } catch (error) {
    if (error instanceof IssuerRefusal || error instanceof IssuerUnreachable) return false;
    throw error;
  }
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
