import { describe, expect, it } from 'vitest';
import { connectionsApi } from '#shared/connections/api';
import { ApiError } from '#shared/kernel/client';
import { emptyStorageDraft, findStorageProblems, refusedStorageField, storageBody } from './storage-draft.ts';

const complete = {
  ...emptyStorageDraft,
  endpoint: 'https://s3.example.com/',
  bucket: 'copies',
  accessKeyId: ' AKIA1 ',
  secretAccessKey: 'secret\n',
};

describe('the form of object storage', () => {
  it('accepts an address, a bucket and two keys, and leaves out what is empty', () => {
    expect(findStorageProblems(complete)).toEqual({});
    const body = storageBody(complete, 'ws_0123456789ABCDEF');
    expect(body).toMatchObject({
      values: { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret' },
      scopeHints: { providerConfig: { endpoint: 'https://s3.example.com', bucket: 'copies' } },
    });
    expect(Object.keys(body.scopeHints.providerConfig)).toEqual(['endpoint', 'bucket']);
    expect(connectionsApi.createConnection.body.safeParse(body).success).toBe(true);
  });

  it.each([
    ['endpoint', 's3.example.com', 'storage.endpoint.wrong'],
    ['bucket', 'no spaces', 'storage.bucket.wrong'],
    ['region', 'eu west', 'storage.region.wrong'],
    ['prefix', '../up', 'storage.prefix.wrong'],
    ['accessKeyId', '', 'storage.key.wrong'],
    ['secretAccessKey', 'two words', 'storage.key.wrong'],
    ['sessionToken', 'two\nlines', 'storage.key.wrong'],
    ['name', 'n'.repeat(121), 'token.name.wrong'],
  ] as const)('refuses %s of %j', (field, text, problem) => {
    expect(findStorageProblems({ ...complete, [field]: text })).toEqual({ [field]: problem });
  });

  it('shows a refusal at the field that it names', () => {
    const refusal = new ApiError(400, {
      code: 'invalid_argument',
      message: 'No.',
      details: { reason: 'object_storage_invalid', field: '/scopeHints/providerConfig/endpoint' },
    });
    expect(refusedStorageField(refusal)).toEqual({ field: 'endpoint', text: 'refusal.object_storage_invalid' });
    expect(refusedStorageField(new Error('lost'))).toBeUndefined();
  });
});
