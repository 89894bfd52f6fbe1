import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isProtected } from './address.ts';

/** A server that the person saved. `issuer` is the authority of its certificate when it was last accepted. */
export type SavedServer = { id: string; name: string; origin: string; issuer?: string };

export type NameRefusal = 'name-invalid' | 'name-known' | 'too-many';

export const maxServers = 50;
const maxNameLength = 60;
const id = /^[0-9a-f-]{36}$/;

/**
 * Returns the name as it is saved, or why it is refused. It appears in titles and dialogs, so it has no control, format
 * or direction characters.
 */
export function readName(text: string, others: readonly SavedServer[]): { name: string } | { refusal: NameRefusal } {
  const name = text.trim().replace(/ +/g, ' ');
  if (name === '' || name.length > maxNameLength || /[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    return { refusal: 'name-invalid' };
  const isKnown = others.some((other) => other.name.toLowerCase() === name.toLowerCase());
  return isKnown ? { refusal: 'name-known' } : { name };
}

/** The saved servers of this account, in a file of the application's own folder. */
export type ServerList = {
  all(): readonly SavedServer[];
  find(serverId: string): SavedServer | undefined;
  add(input: { name: string; origin: string }): SavedServer;
  /** Changes the name or the issuer of a server; without effect on one that was removed. */
  change(serverId: string, change: Partial<Pick<SavedServer, 'name' | 'issuer'>>): void;
  remove(serverId: string): void;
};

/** Opens the list. A file that cannot be read is an empty list. Throws when a change cannot be written. */
export function openServerList(file: string): ServerList {
  let servers = readServers(file);
  const write = (next: SavedServer[]) => {
    writeFileSync(`${file}.new`, `${JSON.stringify({ servers: next }, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    servers = next;
  };
  return {
    all: () => servers,
    find: (serverId) => servers.find((server) => server.id === serverId),
    add: ({ name, origin }) => {
      // A new id at each addition: the storage of a removed server is never opened again.
      const server = { id: randomUUID(), name, origin };
      write([...servers, server]);
      return server;
    },
    change: (serverId, change) =>
      write(servers.map((server) => (server.id === serverId ? { ...server, ...change } : server))),
    remove: (serverId) => write(servers.filter((server) => server.id !== serverId)),
  };
}

function readServers(file: string): SavedServer[] {
  try {
    const { servers } = JSON.parse(readFileSync(file, 'utf8')) as { servers: unknown[] };
    const read: SavedServer[] = [];
    for (const entry of servers.slice(0, maxServers)) {
      const server = readServer(entry, read);
      if (server) read.push(server);
    }
    return read;
  } catch {
    return [];
  }
}

/** An entry that a person or another program damaged is left out. */
function readServer(entry: unknown, before: readonly SavedServer[]): SavedServer | undefined {
  const { id: serverId, name, origin, issuer } = (entry ?? {}) as Record<string, unknown>;
  if (typeof serverId !== 'string' || !id.test(serverId) || before.some((other) => other.id === serverId))
    return undefined;
  const url = typeof origin === 'string' ? URL.parse(origin) : null;
  if (!url || url.origin !== origin || !/^https?:$/.test(url.protocol) || !isProtected(url)) return undefined;
  const read = typeof name === 'string' ? readName(name, before) : undefined;
  if (!read || 'refusal' in read) return undefined;
  return { id: serverId, name: read.name, origin, ...(typeof issuer === 'string' && { issuer }) };
}
