import {
  ObjectStorageSettings,
  objectStorageKind,
  objectStorageProvider,
  objectStorageValues,
} from '#shared/connections/object-storage';
import type { TextId } from '../../i18n/text.ts';
import { refusedFieldIn } from './new-connection.ts';

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
export const refusedStorageField = refusedFieldIn(fieldOf);
