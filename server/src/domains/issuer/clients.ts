import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { IssuerClient } from '#server/drivers/issuer/index';
import { StartError } from '#server/kernel/start-error';
import { cliClientId, isNativeRedirect, OidcClient } from '#shared/issuer/contract';
import { idPrefix } from '#shared/kernel/id';

const clientsFile = 'oidc-clients.json';
const mostBytes = 1_048_576;

/** The command line, which receives its code at a loopback address. */
const cliClient: IssuerClient = {
  clientId: cliClientId,
  name: 'groundctl',
  redirectUris: ['http://127.0.0.1/callback'],
  isNative: true,
  authMethod: 'none',
  scopes: ['openid', 'offline_access', 'capsules:read', 'capsules:write'],
};

const Clients = z
  .array(OidcClient)
  .max(256)
  .refine(
    (clients) => new Set(clients.map(({ clientId }) => clientId)).size === clients.length,
    'Two clients have one id.',
  )
  .refine((clients) => clients.every(({ clientId }) => clientId !== cliClientId), `${cliClientId} is built in.`)
  .refine(
    (clients) => clients.every(({ clientId }) => !clientId.startsWith(idPrefix.capsule)),
    `Ids of clients that begin with ${idPrefix.capsule} belong to Capsules.`,
  );

const clientOf = ({ clientId, name, redirectUris, scopes, ...method }: OidcClient): IssuerClient => ({
  clientId,
  name,
  redirectUris,
  isNative: isNativeRedirect(redirectUris[0] ?? ''),
  authMethod: method.tokenEndpointAuthMethod,
  secretHash: method.clientSecretSha256,
  scopes,
});

/** Reads the clients of the operator's file, with the built-in one. A mistake in the file ends the start. */
export function readClients(dataDir: string): ReadonlyMap<string, IssuerClient> {
  const clients = [cliClient, ...readFile(path.join(dataDir, 'oidc-clients.json')).map(clientOf)];
  return new Map(clients.map((client) => [client.clientId, client]));
}

function readFile(file: string): OidcClient[] {
  if (!existsSync(file)) return [];
  const facts = statSync(file);
  if (!facts.isFile() || facts.size > mostBytes)
    throw new StartError(`${clientsFile} is not a file of at most 1 MiB. Correct it or remove it.`);
  const parsed = Clients.safeParse(parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.map((key) => `/${String(key)}`).join('') ?? '';
  throw new StartError(`${clientsFile} has a mistake at ${at === '' ? 'its root' : at}: ${issue?.message ?? ''}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(`${clientsFile} is not valid JSON. Correct it or remove it.`);
  }
}
