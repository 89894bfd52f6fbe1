import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '#server/kernel/disk';
import { parseJson } from '#server/kernel/parse-json';
import { StartError } from '#server/kernel/start-error';
import { id } from '#shared/kernel/id';
import { keysOf, type PrivateKeys, revealKeys, storedKeys } from './machine-keys.ts';

const stored = z.strictObject({
  version: z.literal(1),
  runnerId: id('runnerMachine'),
  poolId: id('runnerPool'),
  urls: z.array(z.string()).min(1),
  ca: z.string().optional(),
  verifyWith: z.string(),
  ...storedKeys,
  jwt: z.string(),
});

/** Identity of a machine at its server: it was made when the machine joined its pool, and never leaves it. */
export type Identity = PrivateKeys & {
  runnerId: string;
  poolId: string;
  /** Addresses of NATS. */
  urls: readonly string[];
  /** Pinned certificate authority of NATS as PEM. */
  ca?: string | undefined;
  /** Public key of the server. */
  verifyWith: string;
  /** Right to connect, which is renewed while the machine runs. */
  jwt: string;
};

const identityFile = (dataDir: string): string => path.join(dataDir, 'runner-identity.json');

/** Reads the identity of a machine; undefined before it has joined a pool. Throws `StartError` for a damaged one. */
export function readIdentity(dataDir: string): Identity | undefined {
  const file = identityFile(dataDir);
  if (!existsSync(file)) return undefined;
  const parsed = stored.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success)
    throw new StartError(
      'The identity of this runner is damaged. Remove runner-identity.json and enrol the machine again.',
    );
  const { version: _, userKey, sealKey, ...rest } = parsed.data;
  return { ...rest, ...keysOf({ userKey, sealKey }) };
}

/** Writes the identity so that it survives a power cut, readable for its owner only. */
export function writeIdentity(dataDir: string, { userKey, sealKey, ...rest }: Identity): void {
  writeDurably(identityFile(dataDir), JSON.stringify({ version: 1, ...rest, ...revealKeys({ userKey, sealKey }) }));
}
