import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createTestRepository, type TestRepository } from '../../e2e/fixtures/git-server.ts';
import { createGitHandler, type SpawnGit } from '../src/cli/git-http-server.ts';
import { createAuthority } from './certificate-authority.ts';
import { tempDir } from './harness.ts';

/** One request as the server saw it. `host` says which of its two names was used. */
type SeenRequest = { method: string; host: string; path: string; headers: IncomingHttpHeaders };
type Behavior = (request: IncomingMessage, response: ServerResponse) => unknown;
/** Location of a version as the registry sends it: an address in the header, or a JSON body. */
type Location = string | { json: object };

export type ModuleRegistry = {
  /** Registry host for a module address: `127.0.0.1:<port>`. */
  host: string;
  /** Origin of the registry, `https://127.0.0.1:<port>`. */
  url: string;
  /** Another origin of the same server, `https://localhost:<port>`, for packages on another host. */
  otherUrl: string;
  /** File with the certificate of the authority. */
  caFile: string;
  seen: SeenRequest[];
  /** Publishes a version of `namespace/name/system`, with the location that the registry sends. */
  publish: (name: string, version: string, location: Location) => void;
  /** Requires this token for everything of the registry itself. */
  requireToken: (token: string | undefined) => void;
  /** Creates a repository under `/git/<name>`, with a first commit of these files. */
  repository: (name: string, files: Record<string, string | Buffer>) => TestRepository & { url: string };
  /** Requires this user name and password for all repositories. */
  requireAccount: (account: { username: string; password: string } | undefined) => void;
  /** Serves bytes under `/files/<name>` and returns the URL. */
  file: (name: string, bytes: string | Buffer) => string;
  /** Answers a path, with any query, in another way. */
  on: (path: string, behavior: Behavior) => void;
  /** Removes what was published, served and required, and the seen requests. */
  reset: () => void;
  close: () => Promise<void>;
};

/**
 * Starts a module registry, a Git server and a file server in one, over HTTPS on this machine, with the certificate of a
 * new authority.
 */
export async function startModuleRegistry(): Promise<ModuleRegistry> {
  const root = tempDir();
  const { ca, server: pair } = await createAuthority();
  const caFile = path.join(root, 'ca.pem');
  fs.writeFileSync(caFile, ca);
  const repositories = path.join(root, 'git');
  fs.mkdirSync(repositories);
  const git = createGitHandler({ root: repositories, spawn: spawn as unknown as SpawnGit });
  const state = newState();
  const seen: SeenRequest[] = [];
  const server = https.createServer(pair, (request, response) => {
    const { method = '', url = '/', headers } = request;
    seen.push({ method, host: headers.host ?? '', path: url, headers });
    answer(state, git.handle, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  return {
    host: `127.0.0.1:${port}`,
    url,
    otherUrl: `https://localhost:${port}`,
    caFile,
    seen,
    publish: (name, version, location) => {
      const versions = state.modules.get(name) ?? new Map<string, Location>();
      state.modules.set(name, versions.set(version, location));
    },
    requireToken: (token) => {
      state.token = token;
    },
    repository: (name, files) => {
      const repository = createTestRepository(path.join(repositories, name));
      repository.commit(files);
      return { ...repository, url: `${url}/git/${name}` };
    },
    requireAccount: (account) => {
      state.account = account && `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
    },
    file: (name, bytes) => {
      state.files.set(name, Buffer.from(bytes));
      return `${url}/files/${name}`;
    },
    on: (name, behavior) => void state.behaviors.set(name, behavior),
    reset: () => {
      Object.assign(state, newState());
      seen.length = 0;
    },
    close: async () => {
      git.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}

type State = {
  modules: Map<string, Map<string, Location>>;
  files: Map<string, Buffer>;
  behaviors: Map<string, Behavior>;
  token: string | undefined;
  account: string | undefined;
};

const newState = (): State => ({
  modules: new Map(),
  files: new Map(),
  behaviors: new Map(),
  token: undefined,
  account: undefined,
});

function answer(state: State, git: Behavior, request: IncomingMessage, response: ServerResponse): unknown {
  const [pathname = ''] = (request.url ?? '/').split('?', 1);
  const behavior = state.behaviors.get(pathname);
  if (behavior) return behavior(request, response);
  if (pathname.startsWith('/git/')) return answerGit(state, git, request, response);
  const file = state.files.get(decodeURIComponent(pathname.replace('/files/', '')));
  if (pathname.startsWith('/files/')) return file ? response.end(file) : sendStatus(response, 404);
  if (state.token !== undefined && request.headers.authorization !== `Bearer ${state.token}`) {
    return sendStatus(response, 401);
  }
  return answerRegistry(state, pathname, response);
}

function answerGit(state: State, git: Behavior, request: IncomingMessage, response: ServerResponse): unknown {
  if (state.account !== undefined && request.headers.authorization !== state.account) return sendStatus(response, 401);
  request.url = (request.url ?? '').slice('/git'.length);
  return git(request, response);
}

function answerRegistry(state: State, pathname: string, response: ServerResponse): unknown {
  if (pathname === '/.well-known/terraform.json') return sendJson(response, { 'modules.v1': '/v1/modules/' });
  const [, name = '', rest = ''] = /^\/v1\/modules\/([^/]+\/[^/]+\/[^/]+)\/(.+)$/.exec(pathname) ?? [];
  const versions = state.modules.get(name);
  if (!versions) return sendStatus(response, 404);
  if (rest === 'versions') {
    return sendJson(response, { modules: [{ versions: [...versions.keys()].map((version) => ({ version })) }] });
  }
  const location = versions.get(decodeURIComponent(rest.replace(/\/download$/, '')));
  if (location === undefined) return sendStatus(response, 404);
  if (typeof location !== 'string') return sendJson(response, location.json);
  return response.writeHead(204, { 'x-terraform-get': location }).end();
}

const sendStatus = (response: ServerResponse, status: number): unknown => response.writeHead(status).end('no');

const sendJson = (response: ServerResponse, value: object): unknown =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
