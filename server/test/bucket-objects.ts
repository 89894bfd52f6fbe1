import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
const fileOf = (key: string) => Buffer.from(key).toString('base64url');
const keyOf = (file: string) => Buffer.from(file, 'base64url').toString();

type Upload = { key: string; parts: Map<number, Buffer> };
export type BucketObjects = ReturnType<typeof createBucketObjects>;

/** Objects of a test bucket in a folder, and the uploads that are not completed. */
export function createBucketObjects(folder: string) {
  const uploads = new Map<string, Upload>();
  let started = 0;
  const locate = (key: string) => path.join(folder, fileOf(key));
  const read = (key: string): Buffer | undefined => {
    const file = locate(key);
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  };
  return {
    read,
    tagOf: (key: string): string | undefined => {
      const bytes = read(key);
      return bytes && `"${md5(bytes)}"`;
    },
    write: (key: string, bytes: Uint8Array): void => fs.writeFileSync(locate(key), bytes),
    delete: (key: string): void => fs.rmSync(locate(key), { force: true }),
    keys: (): string[] => fs.readdirSync(folder).map(keyOf).sort(),
    uploads: (): string[] => [...uploads.keys()],
    startUpload(key: string): string {
      started += 1;
      const id = `upload&${started}`;
      uploads.set(id, { key, parts: new Map() });
      return id;
    },
    findUpload: (id: string, key: string): Upload | undefined => {
      const upload = uploads.get(id);
      return upload?.key === key ? upload : undefined;
    },
    endUpload: (id: string): void => void uploads.delete(id),
    partTag: (bytes: Uint8Array): string => `"${md5(bytes)}"`,
  };
}
