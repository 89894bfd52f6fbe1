import { createMultipart } from './multipart.ts';
import { createObjects } from './objects.ts';
import { createSend, type StoreConnection } from './send.ts';

export type { StoredObject, WriteCondition } from './objects.ts';
export type { StoreConnection, StoreKeys } from './send.ts';
export { StoreError, type StoreErrorReason } from './store-error.ts';
export type ObjectStore = ReturnType<typeof createObjectStore>;

/** Opens a bucket of an S3-compatible object storage. Nothing is sent before a method is called. */
export const createObjectStore = (connection: StoreConnection, options: { partBytes?: number } = {}) => {
  const send = createSend(connection);
  return { ...createObjects(send), ...createMultipart(send, options) };
};
