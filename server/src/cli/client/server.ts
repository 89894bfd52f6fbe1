import type { Workspace } from '#shared/workspaces/contract';
import { type Api, connect } from '../api.ts';
import { failed, wrongUse } from '../exit-codes.ts';
import { createLine, type TokenSource } from './line.ts';
import { readAll } from './pages.ts';
import type { ServerLocation } from './server-location.ts';

/** A server with a credential for it. */
export type Server = {
  api: Api;
  location: ServerLocation;
  getToken: TokenSource;
  /** Calls as the operator, when the data folder of the server is accessible. */
  operator: Api | undefined;
  /** Returns an address of the dashboard, which may have another host name than the API. */
  link(path: string): string;
  /** Ends the session that was created for this command. */
  leave(): Promise<void>;
};

const leaveMs = 3_000;

/** Signs in to a server: with the given token or login, or with a new session created by means of the operator token. */
export async function enterServer(location: ServerLocation, signal: AbortSignal): Promise<Server> {
  const { credential } = location;
  const getToken = await tokenSourceOf(credential, signal);
  const api = connect(createLine(location, getToken, signal));
  const { body: discovery } = await api.getDiscovery({});
  const pages = new URL(discovery.apiBaseUrl).origin;
  return {
    api,
    location,
    getToken,
    operator: credential.kind === 'operator' ? connectAsOperator(credential, signal) : undefined,
    link: (path) => `${pages}${path}`,
    leave: async () => {
      if (credential.kind !== 'operator') return;
      const own = connect(createLine(location, getToken, AbortSignal.timeout(leaveMs)));
      // A session that is not ended here expires automatically.
      await own.endSession({}).catch(() => undefined);
    },
  };
}

type Operator = Extract<ServerLocation['credential'], { kind: 'operator' }>;

const connectAsOperator = (operator: Operator, signal: AbortSignal): Api =>
  connect(createLine(operator, async () => operator.token, signal));

async function tokenSourceOf(credential: ServerLocation['credential'], signal: AbortSignal): Promise<TokenSource> {
  if (credential.kind === 'login') return credential.getToken;
  if (credential.kind === 'token') return async () => credential.token;
  const { session } = (await connectAsOperator(credential, signal).issueSession({ body: {} })).body;
  return async () => session.token;
}

/** Returns the chosen Workspace: the one named by handle or id, or the only one. */
export async function findWorkspace({ api }: Server, named: string | undefined): Promise<Workspace> {
  const all = await readAll(async (page) => {
    const { body } = await api.listWorkspaces({ query: page });
    return { rows: body.workspaces, nextCursor: body.nextCursor };
  });
  if (named !== undefined) {
    const match = all.find(({ id, handle }) => id === named || handle === named);
    if (!match)
      throw wrongUse(`There is no Workspace "${named}". There are: ${all.map(({ handle }) => handle).join(', ')}.`);
    return match;
  }
  const open = all.filter(({ archivedAt }) => archivedAt === undefined);
  const [only] = open;
  if (!only) throw failed('no_workspace', 'You are in no Workspace. Ask an owner to let you in.');
  if (open.length > 1)
    throw wrongUse(`Name the Workspace with --workspace. There are: ${open.map(({ handle }) => handle).join(', ')}.`);
  return only;
}
