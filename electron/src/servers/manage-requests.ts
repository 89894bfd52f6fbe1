import { type AddressRefusal, readServerAddress } from './address.ts';
import { maxServers, type NameRefusal, readName, type SavedServer, type ServerList } from './saved.ts';

/** Requests of the desktop's own page for saved servers. `id` of `take` is null for this machine. */
export type ManageRequest =
  | { kind: 'add'; address: string; name: string }
  | { kind: 'rename'; id: string; name: string }
  | { kind: 'open' | 'remove'; id: string }
  | { kind: 'take'; id: string | null }
  | { kind: 'close' };

/** Returns a request in its known shape; undefined for anything else. */
export function readManageRequest(value: unknown): ManageRequest | undefined {
  const { kind, id, name, address } = (value ?? {}) as Record<string, unknown>;
  const isText = (text: unknown): text is string => typeof text === 'string';
  if (kind === 'add' && isText(address) && isText(name)) return { kind, address, name };
  if (kind === 'rename' && isText(id) && isText(name)) return { kind, id, name };
  if ((kind === 'open' || kind === 'remove') && isText(id)) return { kind, id };
  if (kind === 'take' && (isText(id) || id === null)) return { kind, id };
  return kind === 'close' ? { kind } : undefined;
}

type Refused = { refusal: AddressRefusal | NameRefusal };

/** Adds a server whose address and name are valid, or returns why it is refused. */
export function addServer(
  list: ServerList,
  { address, name, localOrigin }: { address: string; name: string; localOrigin: string },
): Refused | { server: SavedServer } {
  const saved = list.all();
  if (saved.length >= maxServers) return { refusal: 'too-many' };
  const at = readServerAddress(address, { localOrigin, saved: saved.map(({ origin }) => origin) });
  if ('refusal' in at) return at;
  const named = readName(name, saved);
  return 'refusal' in named ? named : { server: list.add({ name: named.name, origin: at.origin }) };
}

/** Renames a server, or returns why the name is refused. Undefined when it is done or the server was removed. */
export function renameServer(list: ServerList, { id, name }: { id: string; name: string }): Refused | undefined {
  const named = readName(
    name,
    list.all().filter((server) => server.id !== id),
  );
  if ('refusal' in named) return named;
  list.change(id, { name: named.name });
  return undefined;
}
