import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '#server/kernel/disk';
import { parseJson } from '#server/kernel/parse-json';
import { id } from '#shared/kernel/id';
import { keysOf, type PrivateKeys, revealKeys, storedKeys } from './machine-keys.ts';

const stored = z.strictObject({ version: z.literal(1), enrolmentId: id('runnerEnrolment'), ...storedKeys });

const joinFile = (dataDir: string): string => path.join(dataDir, 'runner-join.json');

/**
 * Returns the keys with which this machine joins: those that it has used with the same enrolment, or new ones. They
 * are on the disk before the server knows them, so a machine that got no answer is the same machine when it repeats.
 */
export async function openJoinKeys(
  dataDir: string,
  enrolmentId: string,
  create: () => Promise<PrivateKeys>,
): Promise<PrivateKeys> {
  const earlier = readJoinKeys(joinFile(dataDir));
  if (earlier?.enrolmentId === enrolmentId) return keysOf(earlier);
  const keys = await create();
  writeDurably(joinFile(dataDir), JSON.stringify({ version: 1, enrolmentId, ...revealKeys(keys) }));
  return keys;
}

/** Deletes the keys of a join, which are in the identity of a machine that has joined. */
export const deleteJoinKeys = (dataDir: string): void => rmSync(joinFile(dataDir), { force: true });

/** Returns undefined for a damaged file: its machine joins as a new one. */
const readJoinKeys = (file: string) =>
  existsSync(file) ? stored.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
