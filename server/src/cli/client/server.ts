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

/**
 * Finds a server, with the given token or login, or as its operator. A session is issued by means of the operator token
 * with the first call that needs one, so that the operator's own routes also work on a server that may not write.
 */
export async function enterServer(location: ServerLocation, signal: AbortSignal): Promise<Server> {
  const { credential } = location;
  const { body: discovery } = await connect(createLine(location, undefined, signal)).getDiscovery({});
  const pages = new URL(discovery.apiBaseUrl).origin;
  const { operator, getToken, isSessionIssued } = authorityOf(credential, signal);
  return {
    api: connect(createLine(location, getToken, signal)),
    location,
    getToken,
    operator,
    link: (path) => `${pages}${path}`,
    leave: async () => {
      if (!isSessionIssued()) return;
      const own = connect(createLine(location, getToken, AbortSignal.timeout(leaveMs)));
      // A session that is not ended here expires automatically.
      await own.endSession({}).catch(() => undefined);
    },
  };
}

type Authority = Pick<Server, 'operator' | 'getToken'> & { isSessionIssued: () => boolean };

function authorityOf(credential: ServerLocation['credential'], signal: AbortSignal): Authority {
  if (credential.kind !== 'operator') {
    const getToken = credential.kind === 'login' ? credential.getToken : async () => credential.token;
    return { operator: undefined, getToken, isSessionIssued: () => false };
  }
  const operator = connect(createLine(credential, async () => credential.token, signal));
  return { operator, ...createSessionSource(operator) };
}

/** Issues one session for concurrent calls. A failed request is repeated by the next call. */
function createSessionSource(operator: Api): Omit<Authority, 'operator'> {
  let issued: Promise<string> | undefined;
  const issue = async (): Promise<string> => (await operator.issueSession({ body: {} })).body.session.token;
  return {
    getToken: () => {
      issued ??= issue().catch((error: unknown) => {
        issued = undefined;
        throw error;
      });
      return issued;
    },
    isSessionIssued: () => issued !== undefined,
  };
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
