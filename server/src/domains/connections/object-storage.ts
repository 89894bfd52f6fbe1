import { invalidArgument } from '#server/kernel/errors';
import type { Secret } from '#server/kernel/secret';
import {
  ObjectStorageSettings,
  objectStorageKind,
  objectStorageProvider,
  objectStorageValues,
} from '#shared/connections/object-storage';
import { type GitUrlRules, parseGitUrl } from '#shared/sources/git-address';
import type { CheckedConnection, CheckedParts } from './checked-connection.ts';
import { nameMaterial, pointer } from './new-material.ts';
import type { ConnectionRow } from './store.ts';

/** A bucket with the keys for it. */
export type ObjectStorageAccount = ObjectStorageSettings & {
  keys: { accessKeyId: string; secretAccessKey: Secret; sessionToken?: Secret };
};

const { accessKeyId, secretAccessKey, sessionToken } = objectStorageValues;
const material = {
  env: { [accessKeyId]: { from: 'value' }, [secretAccessKey]: { from: 'secret' }, [sessionToken]: { from: 'secret' } },
} as const;
/** A key is a header of each request. */
const plainKey = /^[\x21-\x7e]{1,4096}$/;

const settingInvalid = (name: string, message: string) =>
  invalidArgument('object_storage_invalid', message, { field: `/scopeHints/providerConfig${name && pointer(name)}` });

/** Validates a new Connection to a bucket. Throws 400 `invalid_argument`; no message contains a value. */
export function checkObjectStorage(input: CheckedParts, gitRules: GitUrlRules): CheckedConnection {
  if (input.credentialRecipe)
    throw invalidArgument('recipe_unknown', 'Object storage does not accept a recipe. Leave it out.', {
      field: '/credentialRecipe',
    });
  const named = nameMaterial(input, { mode: material, modeName: 'keys', declares: false });
  const missing = [accessKeyId, secretAccessKey].filter((name) => !input.values[name]);
  if (missing[0] !== undefined)
    throw invalidArgument('connection_material_missing', 'Object storage needs an access key ID and its secret key.', {
      field: pointer('values', missing[0]),
      missing,
    });
  const wrong = Object.entries(input.values).find(([, text]) => !plainKey.test(text));
  if (wrong)
    throw invalidArgument('connection_material_missing', 'A key is one line of letters, digits and signs.', {
      field: pointer('values', wrong[0]),
    });
  checkSettings(input.scopeHints?.providerConfig, gitRules);
  return {
    provider: objectStorageProvider,
    providerSource: objectStorageProvider,
    kind: objectStorageKind,
    recipe: null,
    secretPartition: null,
    envNames: named.envNames,
    files: named.files,
    materials: named.materials,
  };
}

function checkSettings(settings: unknown, gitRules: GitUrlRules): void {
  const parsed = ObjectStorageSettings.safeParse(settings ?? {});
  if (!parsed.success) {
    const [name = ''] = parsed.error.issues[0]?.path ?? [];
    throw settingInvalid(
      String(name),
      'Give `endpoint` and `bucket`, and where needed `region` and `prefix`. A prefix is names separated by slashes.',
    );
  }
  const refusal = findEndpointRefusal(parsed.data.endpoint, gitRules);
  if (refusal) throw settingInvalid('endpoint', refusal);
}

/** Returns the reason why an address cannot be that of an object storage. The rules of hosts are those of Git. */
export function findEndpointRefusal(endpoint: string, gitRules: GitUrlRules): string | undefined {
  const address = parseGitUrl(endpoint, { ...gitRules, allowLocal: false });
  const isOrigin = address.ok && new URL(address.url).pathname === '/';
  if (isOrigin) return undefined;
  return 'The endpoint must be an https address without a path, of a host that may be reached; http is only for this machine.';
}

/** Returns the bucket of a Connection with the opened keys. */
export function accountOf(row: ConnectionRow, env: ReadonlyMap<string, Secret>): ObjectStorageAccount | undefined {
  const settings = ObjectStorageSettings.safeParse(row.scopeHints?.providerConfig);
  const id = env.get(accessKeyId)?.reveal();
  const secret = env.get(secretAccessKey);
  const token = env.get(sessionToken);
  if (!settings.success || id === undefined || !secret) return undefined;
  return {
    ...settings.data,
    keys: { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) },
  };
}
