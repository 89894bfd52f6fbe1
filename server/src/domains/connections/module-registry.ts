import { hostOf, PackageError, type Packages } from '#server/drivers/packages/index';
import { invalidArgument } from '#server/kernel/errors';
import type { Secret } from '#server/kernel/secret';
import {
  ModuleRegistrySettings,
  moduleRegistryKind,
  moduleRegistryProvider,
  moduleRegistryToken,
} from '#shared/connections/module-registry';
import type { Verdict } from './check/run-check.ts';
import type { CheckedConnection, CheckedParts } from './checked-connection.ts';
import { nameMaterial, pointer } from './new-material.ts';
import type { ConnectionRow } from './store.ts';

/** A registry with the token for it. */
export type RegistryAccount = ModuleRegistrySettings & { token: Secret };

const material = { env: { [moduleRegistryToken]: { from: 'secret' } } } as const;
/** A token is a header of each request. */
const plainToken = /^[\x21-\x7e]{1,4096}$/;

const settingInvalid = (name: string, message: string) =>
  invalidArgument('module_registry_invalid', message, { field: `/scopeHints/providerConfig${name && pointer(name)}` });

/** Validates a new Connection to a registry. Throws 400 `invalid_argument`; no message contains a value. */
export function checkModuleRegistry(input: CheckedParts): CheckedConnection {
  if (input.credentialRecipe)
    throw invalidArgument('recipe_unknown', 'A token of a module registry does not accept a recipe. Leave it out.', {
      field: '/credentialRecipe',
    });
  const named = nameMaterial(input, { mode: material, modeName: 'token', declares: false });
  if (!plainToken.test(input.values[moduleRegistryToken] ?? ''))
    throw invalidArgument(
      'connection_material_missing',
      'A module registry needs a token: one line of letters, digits and signs.',
      { field: pointer('values', moduleRegistryToken), missing: [moduleRegistryToken] },
    );
  const parsed = ModuleRegistrySettings.safeParse(input.scopeHints?.providerConfig ?? {});
  if (!parsed.success) {
    const [name = ''] = parsed.error.issues[0]?.path ?? [];
    throw settingInvalid(
      String(name),
      'Give `host`, and for the test a `module` such as `example/network/aws`, without a version.',
    );
  }
  const { host } = parsed.data;
  if (hostOf(host) !== host)
    throw settingInvalid(
      'host',
      'The host must be that of module addresses in lower case, such as app.terraform.io, without a scheme or path.',
    );
  return {
    provider: moduleRegistryProvider,
    providerSource: moduleRegistryProvider,
    kind: moduleRegistryKind,
    recipe: null,
    secretPartition: null,
    envNames: named.envNames,
    files: named.files,
    materials: named.materials,
  };
}

/** Returns the registry of a Connection with the opened token. */
export function registryOf(row: ConnectionRow, env: ReadonlyMap<string, Secret>): RegistryAccount | undefined {
  const settings = ModuleRegistrySettings.safeParse(row.scopeHints?.providerConfig);
  const token = env.get(moduleRegistryToken);
  return settings.success && token ? { ...settings.data, token } : undefined;
}

/** Tests a token by looking up a module of its registry. */
export type TestRegistry = (account: RegistryAccount | undefined) => Promise<Verdict>;

/** Failures that the token or the settings cause; any other says nothing about the token. */
const ownFaults: ReadonlySet<string> = new Set([
  'credential_required',
  'credential_refused',
  'module_not_found',
  'version_not_found',
  'registry_invalid',
  'address_not_allowed',
]);

export const createRegistryTest =
  (packages: Pick<Packages, 'resolve'>): TestRegistry =>
  async (account) => {
    if (!account)
      return { outcome: 'fail', detail: 'The token or its settings are incomplete. Create a new Connection.' };
    const { host, module, token } = account;
    if (module === undefined)
      return {
        outcome: 'unknown',
        detail: 'The Connection names no module to test the token with. Copies use it as it is.',
      };
    try {
      const credentials = { registryTokens: new Map([[host, token]]) };
      await packages.resolve({ address: `${host}/${module}`, credentials });
      return { outcome: 'pass' };
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      return { outcome: ownFaults.has(error.code) ? 'fail' : 'unknown', detail: error.message };
    }
  };
