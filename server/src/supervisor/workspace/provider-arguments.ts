import { createHash } from 'node:crypto';
import type { EncryptionNames, GenerateRequest, RootView } from '#server/drivers/tofu/index';
import type { Json, JsonObject } from '#shared/kernel/json';
import { type RunCredentials, supportsProviderArguments } from '../../runner/contract/credentials.ts';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import { RunFailure } from '../run-failure.ts';

/** Additions to the provider blocks of a module, and the values of their generated variables. */
type ProviderArguments = Required<Pick<GenerateRequest, 'providerConfig' | 'providerVariables'>> & {
  /** Secret values by name of the generated variable. */
  values: JsonObject;
  /** Warnings for a person about arguments that the module prevents. */
  warnings: readonly string[];
};

type Provider = RunCredentials['providers'][number];

/** Meta-arguments determine the identity and number of a block; they are never configuration. */
const metaArguments = new Set(['alias', 'version', 'for_each', 'count', 'depends_on', 'dynamic', '//']);
const argumentName = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/**
 * Returns the provider blocks of the Run's bindings. The names of the variables are derived from the key that seals the
 * plan, so an apply declares the same ones as its plan and no repository can know them. Throws `RunFailure` when the
 * tool would store a secret in the plan.
 */
export function providerArgumentsOf(
  { credentials, configuration, tool }: Pick<ExecutionSpec, 'credentials' | 'configuration' | 'tool'>,
  names: EncryptionNames,
): ProviderArguments {
  const result = {
    providerConfig: {} as { [key: string]: { [argument: string]: Json } },
    providerVariables: {} as { [key: string]: { [argument: string]: string } },
    values: {} as { [name: string]: Json },
    warnings: [] as string[],
  };
  for (const provider of credentials?.providers ?? []) {
    const key = provider.alias === undefined ? provider.localName : `${provider.localName}.${provider.alias}`;
    const secret = Object.entries(provider.arguments).filter(([name]) => isArgument(name));
    if (secret.length > 0 && !supportsProviderArguments(tool)) throw unsupported(tool);
    const conflict = findConflict(configuration?.view, key, provider);
    if (conflict !== undefined) result.warnings.push(conflict.warning);
    if (conflict?.kind === 'block') continue;
    const config = Object.entries(provider.config).filter(([name]) => isArgument(name));
    result.providerConfig[key] = { ...result.providerConfig[key], ...(Object.fromEntries(config) as JsonObject) };
    if (conflict !== undefined) continue;
    for (const [argument, value] of secret) {
      const name = variableName(names, key, argument);
      result.providerVariables[key] = { ...result.providerVariables[key], [argument]: name };
      result.values[name] = value;
    }
  }
  return result;
}

const isArgument = (name: string): boolean => argumentName.test(name) && !metaArguments.has(name);

type Conflict = { kind: 'block' | 'secrets'; warning: string };

/**
 * Finds a block whose arguments conflict. Credentials of two accounts must not be mixed: a block that sets one secret
 * argument gets none of the Connection.
 */
function findConflict(view: RootView | undefined, key: string, provider: Provider): Conflict | undefined {
  const block = view?.providers.find(
    ({ name, alias }) => name === provider.localName && (alias ?? '') === (provider.alias ?? ''),
  );
  const secret = Object.keys(provider.arguments);
  if (block?.forEach === true) {
    return secret.length + Object.keys(provider.config).length === 0
      ? undefined
      : {
          kind: 'block',
          warning: `The provider block ${key} has for_each, so it is left as the module wrote it and gets nothing from its Connection.`,
        };
  }
  const own = secret.filter((name) => block?.arguments.includes(name));
  return own.length === 0
    ? undefined
    : {
        kind: 'secrets',
        warning: `The module sets ${own.join(', ')} of the provider ${key} itself, so the secret arguments of its Connection are not used.`,
      };
}

const variableName = ({ keyProvider }: EncryptionNames, key: string, argument: string): string =>
  `c${createHash('sha256')
    .update(JSON.stringify([keyProvider, key, argument]))
    .digest('hex')
    .slice(0, 24)}`;

const unsupported = ({ name, version }: ExecutionSpec['tool']): RunFailure =>
  new RunFailure(
    'plan_failed',
    'init',
    `${name} ${version} would keep the secret arguments of a provider in its plan. Use a newer one, or a Connection that gives its credentials by environment variables.`,
  );
