import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { PluginProtocol } from './protocol.ts';

/** Provider package that identifies a schema. `h1` is the hash of its files. */
export type SchemaOwner = { address: string; version: string; platform: string; h1: string };
export type Schema = { protocol: PluginProtocol; message: Buffer };

/** In the provider store, beside `views`. */
const schemasFolder = 'schemas';
const protocols = [6, 5] as const satisfies readonly PluginProtocol[];

function fileOf(storeDir: string, owner: SchemaOwner, protocol: PluginProtocol): string {
  const { address, version, platform, h1 } = owner;
  const name = createHash('sha256').update([address, version, platform, h1].join('\n')).digest('hex');
  return path.join(storeDir, schemasFolder, `${name}-${protocol}`);
}

/** Length of the checksum before the message in a file (SHA-256). */
const checksumBytes = 32;
const checksumOf = (message: Uint8Array): Buffer => createHash('sha256').update(message).digest();

/** Returns the stored schema of a package; undefined when there is none, or when the file is damaged. */
export function findSchema(storeDir: string, owner: SchemaOwner): Schema | undefined {
  for (const protocol of protocols) {
    const file = fileOf(storeDir, owner, protocol);
    try {
      const content = fs.readFileSync(file);
      const message = content.subarray(checksumBytes);
      if (!content.subarray(0, checksumBytes).equals(checksumOf(message))) continue;
      fs.utimesSync(file, new Date(), new Date());
      return { protocol, message };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Stores a schema. A file with its final name is complete; another process may write the same one. */
export function keepSchema(storeDir: string, owner: SchemaOwner, { protocol, message }: Schema): void {
  const file = fileOf(storeDir, owner, protocol);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, Buffer.concat([checksumOf(message), message]), { mode: 0o600, flush: true });
  fs.renameSync(temporary, file);
}

/** Deletes a schema that the tool did not accept. */
export function removeSchema(storeDir: string, owner: SchemaOwner): void {
  for (const protocol of protocols) fs.rmSync(fileOf(storeDir, owner, protocol), { force: true });
}

/** Returns absolute paths of stored schemas, each with its last use in epoch milliseconds. */
export function listSchemas(storeDir: string): { path: string; usedAt: number }[] {
  const folder = path.join(storeDir, schemasFolder);
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    return { path: file, usedAt: fs.statSync(file).mtimeMs };
  });
}
