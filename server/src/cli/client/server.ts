import type { Workspace } from '#shared/workspaces/contract';
import { type Api, connect } from '../api.ts';
import { failed, wrongUse } from '../exit-codes.ts';
import { createLine } from './line.ts';
import { readAll } from './pages.ts';
import type { ServerLocation } from './server-location.ts';

/** A server that one is known at. */
export type Server = {
  api: Api;
  location: ServerLocation;
  token: string;
  /** Calls as the operator, where the folder of the server is at hand. */
  operator: Api | undefined;
  /** An address of the dashboard, which may be reached by another name than the server. */
  link(path: string): string;
  /** Gives back the session that was made for this command. */
  leave(): Promise<void>;
};

const leaveMs = 3_000;

/** Comes to a server: with the token that was given, or with a session of its own got by the operator token. */
export async function enterServer(location: ServerLocation, signal: AbortSignal): Promise<Server> {
  const { credential } = location;
  const token = credential.kind === 'token' ? credential.token : await openSession(credential, signal);
  const api = connect(createLine(location, token, signal));
  const { body: discovery } = await api.getDiscovery({});
  const pages = new URL(discovery.apiBaseUrl).origin;
  return {
    api,
    location,
    token,
    operator: credential.kind === 'operator' ? connect(createLine(credential, credential.token, signal)) : undefined,
    link: (path) => `${pages}${path}`,
    leave: async () => {
      if (credential.kind === 'token') return;
      const own = connect(createLine(location, token, AbortSignal.timeout(leaveMs)));
      // What is not given back ends by itself.
      await own.endSession({}).catch(() => undefined);
    },
  };
}

type Operator = Extract<ServerLocation['credential'], { kind: 'operator' }>;

async function openSession(operator: Operator, signal: AbortSignal): Promise<string> {
  const { body } = await connect(createLine(operator, operator.token, signal)).issueSession({ body: {} });
  return body.session.token;
}

/** The Workspace that is meant: the only one, or the one that was named by handle or id. */
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
