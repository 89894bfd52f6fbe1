import type { Connection } from '#shared/connections/contract';
import {
  ObjectStorageSettings,
  objectStorageKind,
  objectStorageProvider,
  objectStorageValues,
} from '#shared/connections/object-storage';
import { ApiError, api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { findText, type TextId } from '../../i18n/text.ts';

/** Content of the form. It is held in memory only and never written to browser storage. */
export type StorageDraft = Record<StorageField, string>;
export const storageFields = [
  'endpoint',
  'bucket',
  'region',
  'prefix',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'name',
] as const;
export type StorageField = (typeof storageFields)[number];

export const emptyStorageDraft = Object.fromEntries(storageFields.map((field) => [field, ''])) as StorageDraft;

const plainKey = /^[\x21-\x7e]+$/;
const { shape } = ObjectStorageSettings;

/** Returns the problems that prevent the draft from being sent. */
export function findStorageProblems(draft: StorageDraft): Partial<Record<StorageField, TextId>> {
  const { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, sessionToken, name } = trimmed(draft);
  const checks: [StorageField, boolean, TextId][] = [
    ['endpoint', URL.canParse(endpoint) && /^https?:/.test(endpoint), 'storage.endpoint.wrong'],
    ['bucket', shape.bucket.safeParse(bucket).success, 'storage.bucket.wrong'],
    ['region', region === '' || shape.region.safeParse(region).success, 'storage.region.wrong'],
    ['prefix', shape.prefix.safeParse(prefix).success, 'storage.prefix.wrong'],
    ['accessKeyId', plainKey.test(accessKeyId), 'storage.key.wrong'],
    ['secretAccessKey', plainKey.test(secretAccessKey), 'storage.key.wrong'],
    ['sessionToken', sessionToken === '' || plainKey.test(sessionToken), 'storage.key.wrong'],
    ['name', name.length <= 120, 'token.name.wrong'],
  ];
  return Object.fromEntries(checks.flatMap(([field, isRight, text]) => (isRight ? [] : [[field, text]])));
}

const trimmed = (draft: StorageDraft): StorageDraft =>
  Object.fromEntries(storageFields.map((field) => [field, draft[field].trim()])) as StorageDraft;

/** Returns the body that creates the Connection. */
export function storageBody(draft: StorageDraft, workspaceId: string) {
  const { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, sessionToken, name } = trimmed(draft);
  return {
    workspaceId,
    provider: objectStorageProvider,
    kind: objectStorageKind,
    values: {
      [objectStorageValues.accessKeyId]: accessKeyId,
      [objectStorageValues.secretAccessKey]: secretAccessKey,
      ...(sessionToken !== '' && { [objectStorageValues.sessionToken]: sessionToken }),
    },
    scopeHints: {
      providerConfig: {
        endpoint: endpoint.replace(/\/+$/, ''),
        bucket,
        ...(region !== '' && { region }),
        ...(prefix !== '' && { prefix }),
      },
    },
    ...(name !== '' && { displayName: name }),
  } as const;
}

const fieldOf: Readonly<Record<string, StorageField>> = {
  ...Object.fromEntries(
    (['endpoint', 'bucket', 'region', 'prefix'] as const).map((name) => [`/scopeHints/providerConfig/${name}`, name]),
  ),
  ...Object.fromEntries(Object.entries(objectStorageValues).map(([field, name]) => [`/values/${name}`, field])),
  '/displayName': 'name',
};

/** Returns the problem of the field that a refusal names; undefined when it names none. */
export function refusedStorageField(error: unknown): { field: StorageField; text: TextId } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const field = fieldOf[String(error.details['field'])];
  const text = findText(`refusal.${String(error.details['reason'] ?? error.code)}`);
  return field && text ? { field, text } : undefined;
}

/** Saves the keys of a bucket as a Connection of the Workspace. */
export function useNewStorage() {
  const workspaceId = useWorkspaceId();
  return useIntent(async (keyOf, draft: StorageDraft): Promise<Connection> => {
    const { connection } = (await api.createConnection({ body: storageBody(draft, workspaceId) }, keyOf('create')))
      .body;
    invalidateRecord({ kind: 'connection', id: connection.id });
    return connection;
  });
}
