import { bindingsApi } from '#shared/bindings/api';
import { capsulesApi } from '#shared/capsules/api';
import { configsApi } from '#shared/configs/api';
import { connectionsApi } from '#shared/connections/api';
import { coordinatorsApi } from '#shared/coordinators/api';
import { deploysApi } from '#shared/deploys/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import { createClient, type Send } from '#shared/kernel/client';
import { runsApi } from '#shared/runs/api';
import { sourcesApi } from '#shared/sources/api';
import { statesApi } from '#shared/states/api';
import { tokensApi } from '#shared/tokens/api';
import { workspacesApi } from '#shared/workspaces/api';
import type { Workspace } from '#shared/workspaces/contract';
import { failed, wrongUse } from '../exit-codes.ts';
import { createLine } from './line.ts';
import { readAll } from './pages.ts';
import type { Place } from './place.ts';

const connect = (send: Send) => ({
  ...createClient(discoveryApi, send),
  ...createClient(identityApi, send),
  ...createClient(workspacesApi, send),
  ...createClient(tokensApi, send),
  ...createClient(sourcesApi, send),
  ...createClient(configsApi, send),
  ...createClient(coordinatorsApi, send),
  ...createClient(runsApi, send),
  ...createClient(deploysApi, send),
  ...createClient(capsulesApi, send),
  ...createClient(statesApi, send),
  ...createClient(bindingsApi, send),
  ...createClient(connectionsApi, send),
});
export type Api = ReturnType<typeof connect>;

/** A server that one is known at. */
export type Server = {
  api: Api;
  place: Place;
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
export async function enterServer(place: Place, signal: AbortSignal): Promise<Server> {
  const { credential } = place;
  const token = credential.kind === 'token' ? credential.token : await openSession(credential, signal);
  const api = connect(createLine(place, token, signal));
  const { body: found } = await api.getDiscovery({});
  const pages = new URL(found.apiBaseUrl).origin;
  return {
    api,
    place,
    token,
    operator: credential.kind === 'operator' ? connect(createLine(credential, credential.token, signal)) : undefined,
    link: (path) => `${pages}${path}`,
    leave: async () => {
      if (credential.kind === 'token') return;
      const own = connect(createLine(place, token, AbortSignal.timeout(leaveMs)));
      // What is not given back ends by itself.
      await own.endSession({}).catch(() => undefined);
    },
  };
}

type Operator = Extract<Place['credential'], { kind: 'operator' }>;

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
    const found = all.find(({ id, handle }) => id === named || handle === named);
    if (!found)
      throw wrongUse(`There is no Workspace "${named}". There are: ${all.map(({ handle }) => handle).join(', ')}.`);
    return found;
  }
  const open = all.filter(({ archivedAt }) => archivedAt === undefined);
  const [only] = open;
  if (!only) throw failed('no_workspace', 'You are in no Workspace. Ask an owner to let you in.');
  if (open.length > 1)
    throw wrongUse(`Name the Workspace with --workspace. There are: ${open.map(({ handle }) => handle).join(', ')}.`);
  return only;
}
