import { z } from 'zod';

/** A Connection to a bucket of an S3-compatible object storage, for copies of backups. */
export const objectStorageKind = 'object_storage';
/** `provider` of these Connections. */
export const objectStorageProvider = 's3';

/** Names of the values, as every S3 client calls them. */
export const objectStorageValues = {
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
} as const;

/** Region of services that do not have regions. */
export const defaultRegion = 'us-east-1';

/** Settings in `scopeHints.providerConfig`; none of them is secret. */
export const ObjectStorageSettings = z.strictObject({
  /** Address of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: z.string().min(1).max(2_048),
  bucket: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default(defaultRegion),
  /** Start of the keys of all objects, such as `ground-control/production`. */
  prefix: z
    .string()
    .max(512)
    .regex(/^(?:(?!\.\.?(?:\/|$))[A-Za-z0-9!_.*'()-]+(?:\/|$))*$/)
    .default(''),
});
export type ObjectStorageSettings = z.infer<typeof ObjectStorageSettings>;

/** Returns the key of an object below a prefix. */
export const keyBelow = (prefix: string, name: string): string =>
  prefix === '' ? name : `${prefix.replace(/\/$/, '')}/${name}`;
