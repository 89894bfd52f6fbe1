import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFenceFacts, createFenceService, type FenceFact, findFenceRecord } from '../domains/fence/index.ts';
import { createAuthorityOpener, type PromotionFact } from '../domains/remote-runs/index.ts';
import { loadNats } from '../drivers/nats/index.ts';
import type { KeyRing } from '../drivers/vault/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Db, openDb } from '../kernel/db.ts';
import { failpoint } from '../kernel/failpoints.ts';
import { findFact, findInstallationId, writeFact } from '../kernel/installation.ts';
import { faultFields, type Log } from '../kernel/log.ts';
import type { Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import { termCountsForMs } from './fence.ts';
import { openKeys } from './key-host.ts';
import { readNatsAuthority } from './nats-authority.ts';
import { createTermLink } from './term-link.ts';

/** The next term, which this machine has taken. */
export type TakenTerm = { term: number; serverId: string; fact: FenceFact; revokedAt: number; takenAtMs: number };

type Host = { settings: Settings; log: Log };
type Opened = { db: Db; vault: KeyRing; installationId: string };

const newer =
  'A newer version of Ground Control wrote the copy. Nothing was revoked. Install the version of the earlier server on this machine, then repeat the command.';
const foreignFile = 'What Litestream restored is not a ledger of Ground Control. Check its configuration.';

function openRestored(dataDir: string, log: Log): Db {
  try {
    return openDb(dataDir, (error) => log.error(faultFields(error), 'a listener failed after a commit'));
  } catch (error) {
    throw new StartError(error instanceof StartError ? newer : foreignFile);
  }
}

/** Opens a restored ledger with its key. Throws `StartError` when the key is missing. */
async function openLedger(dataDir: string, { settings, log }: Host): Promise<Opened> {
  const db = openRestored(dataDir, log);
  const host = { settings: { ...settings, dataDir }, log, clock: systemClock, prefersKeychain: false };
  try {
    const { vault } = await openKeys(db, { ...host, nodePath: process.execPath });
    if (vault.sealedBy) throw new StartError(`The restored ledger cannot be opened. ${vault.sealedBy.message}`);
    return { db, vault, installationId: findInstallationId(db) ?? '' };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Ends the earlier servers at NATS and takes the next term, with the keys of a restored ledger. `term` is that of the
 * copy; `serverId` names this machine, also when the command is repeated. Throws `StartError`.
 */
export async function takeNextTerm(
  dataDir: string,
  {
    settings,
    log,
    term,
    unusedTerm,
    serverId,
  }: Host & { term: number; unusedTerm: number | undefined; serverId: string },
): Promise<TakenTerm> {
  const { db, vault, installationId } = await openLedger(dataDir, { settings, log });
  try {
    const current = await readTerm({ settings, db, vault });
    if (!current) throw new StartError(noTerm);
    if (current.installationId !== installationId) throw new StartError(foreign);
    if (![term, unusedTerm].includes(current.term) && current.serverId !== serverId)
      throw new StartError(otherTerm(current.term));
    const revokedAt = Math.max(Math.floor(Date.now() / 1_000), Math.floor(current.takenAt / 1_000));
    await revokeEarlier({ settings, db, vault }, revokedAt);
    failpoint('promotion.revoked');
    return { ...(await take({ settings, db, vault }, { installationId, serverId, log })), serverId, revokedAt };
  } finally {
    db.close();
  }
}

const noTerm =
  'NATS holds no term of this installation: no server had one, or NATS has lost its store. If the server still exists, run `groundctl fence take` on it, and promote afterwards. If it is lost too, restore the copy and take the term there: "When NATS is lost too" in docs/high-availability.md has the steps.';
const foreign = 'The term in NATS belongs to another installation. Check GROUNDCTL_NATS_URL.';
const otherTerm = (term: number): string =>
  `The current term is ${term}. Repeat with --term ${term}. If there is no copy of it, because its server never started or its Litestream was not restarted, repeat with the newest term that has one and --unused-term ${term}.`;

type Keys = { settings: Settings; db: Db; vault: KeyRing };

async function readTerm(keys: Keys) {
  const { store, close } = createTermLink(keys);
  try {
    return await findFenceRecord(store);
  } finally {
    await close();
  }
}

/** Revokes every user of an earlier server, and waits until a new one is not among them. */
async function revokeEarlier({ settings, db, vault }: Keys, second: number): Promise<void> {
  const nats = await loadNats();
  const authority = await createAuthorityOpener({ db, vault })();
  const user = authority.createSystemUser();
  const { nats: { urls } = { urls: [] } } = settings;
  const ca = readNatsAuthority(settings);
  const system = await nats.connectOnce({ urls, ca, credentials: () => user });
  try {
    await nats.revokeServers(system, authority, second);
  } finally {
    await system.close();
  }
  while (Math.floor(Date.now() / 1_000) <= second) await sleep(100);
}

type Names = { installationId: string; serverId: string; log: Log };

async function take(keys: Keys, { installationId, serverId, log }: Names) {
  const { store, close } = createTermLink(keys);
  let fact: FenceFact | undefined;
  const ledger = {
    find: () => fact,
    save: (next: FenceFact) => {
      fact = next;
    },
  };
  const nonce = randomUUID();
  const fence = createFenceService({
    db: { write: (work) => work() },
    clock: systemClock,
    log,
    activity: { record: () => {} },
    target: {
      kind: 'term',
      store,
      close,
      address: 'nats://GC_TERM',
      prefix: '',
      installationId,
      serverId,
      facts: createFenceFacts({ ledger, serverId, findRestore: () => ({ id: 'promotion', isStarted: true }) }),
      waitMs: 0,
      makeNonce: () => nonce,
    },
  });
  try {
    const { holder } = await fence.take('operator');
    if (!holder || !fact) throw new StartError('The next term could not be taken. Repeat the command.');
    return { term: holder.term, fact, takenAtMs: performance.now() };
  } finally {
    await fence.stop();
  }
}

/** Writes into a restored ledger what its next server must know, in the caller's transaction. */
export function writePromotion(db: Db, { fact, revokedAt, term }: TakenTerm): void {
  const restore = findFact<{ restoredAt: string }>(db, 'restored');
  writeFact(db, 'fence', { ...fact, heldUnder: restore?.restoredAt ?? null });
  writeFact(db, 'promotion', { revokedAt, term } satisfies PromotionFact);
}

/** Resolves when the server of the earlier term cannot begin anything any more, whatever it was doing. */
export async function awaitEarlierEnd({ takenAtMs }: TakenTerm): Promise<void> {
  const restMs = takenAtMs + termCountsForMs + marginMs - performance.now();
  if (restMs > 0) await sleep(restMs);
}
const marginMs = 1_000;
