import { type Endpoint, isFormHost, type PermissionClass } from '#shared/kernel/endpoint';
import { type RateRule, rateLimits } from '#shared/limits';
import { type CredentialKind, demandOf } from '#shared/permissions';
import { sessionCookie, sessionHeader } from '#shared/vendor';
import { takenKinds, takesKey } from './answers.ts';

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
  'resource-history': 'StateVersions',
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
  copies: 'Installable copies',
  dashboard: 'Dashboard',
  dependencies: 'Dependencies',
  graph: 'Dependencies',
  'form-resources': 'Form host',
  hooks: 'Sources',
  imports: 'Imports',
  'late-states': 'Late states',
  install: 'Installation',
  installation: 'Restore',
  internal: 'Operator',
  members: 'Members',
  plan: 'Runs',
  projects: 'Projects',
  restores: 'Backups',
  'runner-enrolments': 'Runner machines',
  'runner-machines': 'Runner machines',
  'runner-pools': 'Runner machines',
  runs: 'Runs',
  sources: 'Sources',
  usage: 'Usage',
  vault: 'Vault',
  views: 'Workspaces',
  workspaces: 'Workspaces',
  'workspace-deletions': 'Workspaces',
  'deletion-preview': 'Workspaces',
};

/** The tag of an operation: the noun of its path. */
export function tagOf(endpoint: Endpoint): string {
  const { base, path } = endpoint;
  if (base === '/internal/v1') return 'Operator';
  if (isFormHost(endpoint)) return 'Form host';
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  const [first = '', second] = parts;
  const segment = first === 'workspaces' && second !== undefined ? second : first;
  return noun[segment] ?? (base === '' ? 'Discovery' : noun[first]) ?? 'Server';
}

const callers: Readonly<Record<PermissionClass, string>> = {
  R: 'For every active member of the Workspace.',
  W: 'For owners and admins of the Workspace.',
  propose: 'For owners, admins and members of the Workspace.',
  O: 'For the owner.',
  A: 'For every account.',
  S: 'For an account session only: no token is accepted.',
  P: 'For a personal access token only.',
  X: 'Public: no credential is read.',
  Op: 'For the operator token.',
};

function rateText({ perAddress, perAccount, perSource, perEmail }: RateRule): string {
  const rules: [number | undefined, string][] = [
    [perAddress, 'from one address'],
    [perAccount, 'of one account'],
    [perSource, 'for one Source'],
    [perEmail, 'for one e-mail'],
  ];
  const clauses = rules.flatMap(([count, who]) => (count === undefined ? [] : [`${count} ${who}`]));
  return `Calls a minute: ${clauses.join(', ')}.`;
}

/** Describes who may call an operation, and the effect of repeating it. */
export function describe(endpoint: Endpoint): string {
  const parts = [callers[endpoint.class]];
  const scope = takenKinds(endpoint).includes('pat') && demandOf(endpoint, 'pat').scopes?.[0];
  if (scope) parts.push(`A personal access token needs the scope \`${scope}\`.`);
  if (endpoint.alsoScope) parts.push(`For one that is bound to the Workspace, \`${endpoint.alsoScope}\` is enough.`);
  if (endpoint.bearerOnly) parts.push('The credential is a bearer: a cookie is not read.');
  if (endpoint.idempotency === 'required')
    parts.push('Needs an `Idempotency-Key`: the same key and request answer with the current record.');
  else if (takesKey(endpoint))
    parts.push('With an `Idempotency-Key` the same request is executed once; its answer is kept for 24 hours.');
  if (endpoint.rate !== undefined) parts.push(rateText(rateLimits[endpoint.rate]));
  if (endpoint.closedQuery) parts.push('An unknown query parameter is refused.');
  return parts.join(' ');
}

/** Security schemes. */
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
  oauth: { type: 'http', scheme: 'bearer', description: 'Access token of a registered client (`svcat_…`)' },
  operator: { type: 'http', scheme: 'bearer', description: 'The operator token of the data folder' },
} as const;

type Scheme = keyof typeof securitySchemes;
const schemesOf: Readonly<Record<CredentialKind, readonly Scheme[]>> = {
  session: ['session', 'sessionHeader', 'sessionCookie'],
  pat: ['token'],
  boundPat: ['token'],
  oauth: ['oauth'],
};

/** Security requirements: any one of these is sufficient. */
export function securityOf(endpoint: Endpoint) {
  const schemes: Scheme[] =
    endpoint.class === 'Op' ? ['operator'] : takenKinds(endpoint).flatMap((kind) => schemesOf[kind]);
  const accepted = endpoint.bearerOnly ? schemes.filter((scheme) => securitySchemes[scheme].type === 'http') : schemes;
  return [...new Set(accepted)].map((scheme) => ({ [scheme]: [] as string[] }));
}
