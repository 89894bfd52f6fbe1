import type { Endpoint, PermissionClass } from '#shared/kernel/endpoint';
import { sessionCookie, sessionHeader } from '#shared/vendor';
import { takesKey } from './answers.ts';

const noun: Readonly<Record<string, string>> = {
  'capsule-configs': 'InstallConfigs',
  'compatibility-reports': 'Compatibility',
  'compatibility-check': 'Compatibility',
  'configuration-plans': 'Capsules',
  'credential-recipes': 'Connections',
  'current-state-versions': 'StateVersions',
  'install-modules': 'Sources',
  'install-plans': 'Installation',
  'output-shares': 'Sharing',
  'plan-update': 'Runs',
  'drift-check': 'Runs',
  'provider-connections': 'Connections',
  'revision-plans': 'Revisions',
  'rollback-plan': 'Runs',
  'run-groups': 'Runs',
  'source-ref-resolutions': 'Sources',
  'state-versions': 'StateVersions',
  'ui-surfaces': 'Interfaces',
  'interface-materialization-failures': 'Interfaces',
  account: 'Account',
  activity: 'Activity',
  auth: 'Sign-in',
  backups: 'Backups',
  billing: 'Usage',
  capabilities: 'Discovery',
  capsules: 'Capsules',
  connections: 'Connections',
  dashboard: 'Dashboard',
  dependencies: 'Dependencies',
  graph: 'Dependencies',
  hooks: 'Sources',
  install: 'Installation',
  internal: 'Operator',
  members: 'Members',
  plan: 'Runs',
  projects: 'Projects',
  runs: 'Runs',
  sources: 'Sources',
  usage: 'Usage',
  vault: 'Vault',
  views: 'Workspaces',
  workspaces: 'Workspaces',
};

/** The heading under which an operation stands: the noun that its path speaks of. */
export function tagOf({ base, path }: Pick<Endpoint, 'base' | 'path'>): string {
  if (base === '/internal/v1') return 'Operator';
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  const [first = '', second] = parts;
  const told = first === 'workspaces' && second !== undefined ? second : first;
  return noun[told] ?? (base === '' ? 'Discovery' : noun[first]) ?? 'Server';
}

const callers: Readonly<Record<PermissionClass, string>> = {
  R: 'For every active member of the Workspace; a token needs the scope `read`.',
  W: 'For owners and admins of the Workspace; a token needs the scope `write`.',
  propose: 'For owners, admins and members of the Workspace; a token needs the scope `write`.',
  O: 'For the owner.',
  A: 'For every account; a token needs the scope `read` to read and `write` to change.',
  S: 'For an account session only: no token opens it.',
  P: 'For a personal access token only.',
  X: 'Public: no credential is read.',
  Op: 'For the operator token.',
};

/** Who may call an operation, and what repeating it does. */
export function describe(endpoint: Endpoint): string {
  const sentences = [callers[endpoint.class]];
  if (endpoint.idempotency === 'required')
    sentences.push('Needs an `Idempotency-Key`: the same key and request answer with the record as it is now.');
  else if (takesKey(endpoint))
    sentences.push('With an `Idempotency-Key` the same request is done once; its answer is kept for 24 hours.');
  if (endpoint.closedQuery) sentences.push('An unknown query parameter is refused.');
  return sentences.join(' ');
}

/** The ways to prove who one is. */
export const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'Account session token (`sess_…`)' },
  sessionHeader: { type: 'apiKey', in: 'header', name: sessionHeader, description: 'Account session token' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session of a browser; on plain http the name ends in eight characters of the data folder id',
  },
  token: { type: 'http', scheme: 'bearer', description: 'Personal access token (`svcpat_…`)' },
  operator: { type: 'http', scheme: 'bearer', description: 'The operator token of the data folder' },
} as const;

type Scheme = keyof typeof securitySchemes;
const session: readonly Scheme[] = ['session', 'sessionHeader', 'sessionCookie'];
const schemesOf: Readonly<Record<PermissionClass, readonly Scheme[]>> = {
  R: [...session, 'token'],
  W: [...session, 'token'],
  propose: [...session, 'token'],
  O: [...session, 'token'],
  A: [...session, 'token'],
  S: session,
  P: ['token'],
  X: [],
  Op: ['operator'],
};

/** Any one of these lets a request in. */
export const securityOf = ({ class: permission }: Endpoint) =>
  schemesOf[permission].map((scheme) => ({ [scheme]: [] as string[] }));
