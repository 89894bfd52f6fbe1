import { withDigests } from '#server/domains/form-packages/index';
import { FormPackage, formPackageKind } from '#shared/form-packages/package';
import type { Json, JsonObject } from '#shared/kernel/json';

const bucketSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1 },
    region: { type: 'string', pattern: '^[a-z]+-[0-9]$' },
    endpoint: { type: 'string' },
  },
  required: ['size'],
  additionalProperties: false,
};

/** Publishes one member of the Output of a Resource. */
export const bucketInterface = {
  key: 'endpoint',
  name: 'endpoint',
  spec: {
    type: 'storage.bucket',
    version: '1',
    document: { purpose: 'files' },
    inputs: { endpoint: { source: 'resource_output', outputName: 'endpoint' } },
    access: { visibility: 'workspace' },
  },
};

/** A package as JSON, with correct digests unless they are replaced afterwards. */
export const formPackageJson = (members: Record<string, unknown> = {}): JsonObject =>
  withDigests({
    kind: formPackageKind,
    formRef: { apiVersion: 'storage.example/v1', kind: 'Bucket', definitionVersion: '1.0.0', schemaDigest: '' },
    packageDigest: '',
    displayName: 'Bucket',
    desiredSchema: bucketSchema,
    operations: ['preview', 'apply', 'import', 'read', 'observe', 'refresh', 'delete'],
    executable: true,
    deprecated: false,
    activation: { spaces: ['*'] },
    ...(members as Record<string, Json>),
  } as JsonObject);

export const formPackage = (members?: Record<string, unknown>): FormPackage =>
  FormPackage.parse(formPackageJson(members));

export const identityOf = ({ formRef, packageDigest }: FormPackage) => ({ formRef, packageDigest });
