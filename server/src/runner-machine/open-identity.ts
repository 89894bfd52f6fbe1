import { readFileSync } from 'node:fs';
import { StartError } from '#server/kernel/start-error';
import type { MachineFacts } from '#shared/runner-pools/contract';
import { type ChosenAddress, chooseAddress } from './chosen-address.ts';
import { type Identity, readIdentity, writeIdentity } from './identity.ts';
import { joinPool } from './join.ts';
import { deleteJoinKeys } from './join-keys.ts';

type Joining = {
  /** File with the text of an enrolment. */
  enrolment: string | undefined;
  chosen: ChosenAddress;
  facts: Pick<MachineFacts, 'name' | 'productVersion'>;
};

/**
 * Reads the identity of this machine, or joins a pool with an enrolment. A machine that has joined ignores it, so that
 * a service may start each time with the same options. Throws `StartError`.
 */
export async function openIdentity(dataDir: string, { enrolment, chosen, facts }: Joining): Promise<Identity> {
  const known = readIdentity(dataDir);
  if (known) {
    // A power cut may have left them.
    deleteJoinKeys(dataDir);
    return moveTo(dataDir, known, chosen);
  }
  if (enrolment === undefined)
    throw new StartError(
      'This machine belongs to no pool yet. Start it with --enrol FILE; groundctl runners enrol writes the file.',
    );
  const identity = await joinPool(readEnrolmentFile(enrolment), { ...facts, dataDir, chosen });
  writeIdentity(dataDir, identity);
  deleteJoinKeys(dataDir);
  return identity;
}

/** Stores another address of NATS, for example when it has become a cluster, and another authority. */
function moveTo(dataDir: string, known: Identity, chosen: ChosenAddress): Identity {
  const identity = { ...known, ...chooseAddress(known, chosen) };
  if (chosen.urls !== undefined || chosen.ca !== undefined) writeIdentity(dataDir, identity);
  return identity;
}

function readEnrolmentFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new StartError(
      'This machine belongs to no pool yet, and the file of its enrolment cannot be read. Write one with groundctl runners enrol, and check its path and that this user may read it.',
    );
  }
}
