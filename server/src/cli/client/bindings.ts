import type { Connection } from '#shared/connections/contract';
import { gitTokenKind } from '#shared/connections/contract';
import { isSameSource } from '#shared/kernel/provider-source';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderBlockReason, ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { CompatibilityReport } from '#shared/sources/report';
import { CommandError, exitCodes, wrongUse } from '../exit-codes.ts';
import type { Work } from './command.ts';
import { readAll } from './pages.ts';
import type { Server } from './server.ts';
import { oneLine } from './text.ts';

/** A requested binding: `aws.west` and the Connection for it. */
type BindingInput = { local: string; alias?: string; connection: string };

/** Reads `--connection local[.alias]=<id or name>`. */
export function readBindingInputs(texts: readonly string[]): BindingInput[] {
  const inputs = texts.map((text) => {
    const [, local, alias, connection] = /^([\w-]+)(?:\.([\w-]+))?=(.+)$/.exec(text) ?? [];
    if (!local || !connection)
      throw wrongUse('--connection takes LOCAL[.ALIAS]=CONNECTION, as in --connection aws.west="Production".');
    return { local, connection, ...(alias !== undefined && { alias }) };
  });
  const names = inputs.map(configurationNameOf);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw wrongUse(`--connection names ${twice} twice.`);
  return inputs;
}

const configurationNameOf = ({ local, alias }: Pick<BindingInput, 'local' | 'alias'>): string =>
  alias === undefined ? local : `${local}.${alias}`;
const requirementNameOf = ({ providerName, alias }: ProviderRequirement): string =>
  configurationNameOf({ local: providerName, ...(alias !== undefined && { alias }) });

/** Lists the Connections that providers may use in a Workspace. */
const listConnections = async ({ api }: Server, workspaceId: string): Promise<Connection[]> =>
  (await api.listProviderConnections({ query: { workspaceId } })).body.providerConnections;

/** Finds a Connection by its id, or by a display name that only one of them has. */
function pickConnection(all: readonly Connection[], named: string): Connection {
  const matches = all.filter(({ id, displayName }) => id === named || displayName === named);
  const [only] = matches;
  if (!only) {
    const known = all.map(({ id, displayName }) => oneLine(displayName ?? id)).join(', ');
    throw wrongUse(
      `There is no Connection "${oneLine(named)}". ${known === '' ? 'There are none.' : `There are: ${known}.`}`,
    );
  }
  if (matches.length > 1)
    throw wrongUse(
      `${matches.length} Connections are called "${oneLine(named)}". Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    );
  return only;
}

/** Returns the Connection that holds the token for the named private repository. */
export async function findGitConnection({ api }: Server, workspaceId: string, named: string): Promise<string> {
  const all = await readAll(async (page) => {
    const { body } = await api.listConnections({ query: { workspaceId, ...page } });
    return { rows: body.connections, nextCursor: body.nextCursor };
  });
  return pickConnection(
    all.filter(({ kind }) => kind === gitTokenKind),
    named,
  ).id;
}

type BindProvidersInput = {
  workspaceId: string;
  report: CompatibilityReport;
  bindingInputs: readonly BindingInput[];
  variables: readonly string[];
};
type Bound = { bindings: ProviderBinding[]; defaults: readonly string[]; exposedNames: readonly string[] };

/**
 * Resolves the requested bindings and returns them with the names of variables that they give a default. Throws
 * `CommandError` before anything is planned when a provider would have no Connection; the error lists what is missing,
 * the available Connections, and the option to type.
 */
export async function bindProviders({ server }: Pick<Work, 'server'>, input: BindProvidersInput): Promise<Bound> {
  const { report, bindingInputs, workspaceId, variables } = input;
  const requirements = report.providerRequirements ?? [];
  const all = bindingInputs.length > 0 || requirements.length > 0 ? await listConnections(server, workspaceId) : [];
  const bindings = bindingInputs.map((one) => bindingOf(one, requirements, all));
  if (requirements.length === 0) return { bindings, defaults: [], exposedNames: [] };
  const { body } = await server.api.previewProviderBindings({
    params: { reportId: report.id },
    body: { providerBindings: bindings, variables: [...variables] },
  });
  const blocked = body.providerResolutions.filter(({ status }) => status !== 'resolved_provider_connection');
  if (blocked.length > 0)
    throw new CommandError(blockedText(blocked, all, server), {
      exitCode: exitCodes.wrongUse,
      code: 'provider_connection_required',
    });
  const { envNames, files, moduleInputs } = body.reach;
  return { bindings, defaults: moduleInputs, exposedNames: [...envNames, ...files.map(({ path }) => path)] };
}

function bindingOf(
  input: BindingInput,
  requirements: readonly ProviderRequirement[],
  all: readonly Connection[],
): ProviderBinding {
  const configurationName = configurationNameOf(input);
  const required = requirements.find((requirement) => requirementNameOf(requirement) === configurationName);
  if (!required) {
    const known = requirements.map(requirementNameOf).join(', ');
    throw wrongUse(
      `The module has no provider configuration "${configurationName}". ${known === '' ? 'It has none.' : `It has: ${known}.`}`,
    );
  }
  return {
    provider: required.providerSource,
    moduleLocalName: required.providerName,
    ...(required.alias !== undefined && { childAlias: required.alias }),
    connectionId: pickConnection(all, input.connection).id,
  };
}

const why: Readonly<Record<ProviderBlockReason, string>> = {
  connection_required: 'needs a Connection and has none',
  connection_missing: 'its Connection is not there any more',
  connection_foreign: 'its Connection belongs to another Workspace',
  connection_revoked: 'its Connection is revoked',
  connection_expired: 'its Connection has ended',
  connection_error: 'its Connection failed its last test',
  connection_registry: 'a token for a module registry serves no provider',
  connection_storage: 'keys of object storage serve no provider',
  connection_git: 'a token for Git repositories serves no provider',
  connection_managed: 'its Connection needs a platform that is not here',
  connection_material: 'what its Connection holds cannot be read any more',
  credential_env_conflict: 'two Connections set the same variable to different values',
  module_input_conflict: 'two Connections give one variable of the module different values; give it one by --var',
  connection_not_allowed: 'the policy of the Workspace does not allow its Connection',
  connection_not_temporary: 'the policy of the Workspace asks for temporary credentials',
  connection_ttl_not_enforced: 'the policy of the Workspace asks for credentials whose end is enforced',
};

function blockedText(
  blocked: readonly ProviderResolution[],
  all: readonly Connection[],
  server: Pick<Server, 'link'>,
): string {
  const lines = blocked.flatMap(({ requirement, blockedReason }) => {
    const requirementName = requirementNameOf(requirement);
    const reason = why[blockedReason ?? 'connection_required'];
    const fitting = all.filter(
      ({ providerSource, status }) => isSameSource(providerSource, requirement.providerSource) && status === 'verified',
    );
    const choices = fitting.map(
      ({ id, displayName }) => `    --connection ${requirementName}=${oneLine(quoteForShell(displayName ?? id))}`,
    );
    return [`  ${requirementName} (${requirement.providerSource}): ${reason}.`, ...choices];
  });
  return [
    'Nothing is planned yet: credentials of providers are missing.',
    ...lines,
    `Add a Connection at ${server.link('/connections/new')}, then name it with --connection LOCAL[.ALIAS]=CONNECTION.`,
  ].join('\n');
}

/** Quotes a word when a shell would not take it literally. */
const quoteForShell = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
