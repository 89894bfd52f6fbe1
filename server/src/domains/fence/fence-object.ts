import { randomUUID } from 'node:crypto';
import { type ObjectStore, StoreError, type WriteCondition } from '#server/drivers/object-store/index';
import type { FenceFacts } from './fence-facts.ts';
import { type FenceKind, fenceTextsOf, lostTexts } from './fence-texts.ts';
import { type FenceRecord, fenceObject, mostFenceBytes, readRecord, writeRecord } from './record.ts';

/** Answer of the bucket. `lost` names another server; `unknown` has the reason as a sentence. */
export type FenceAnswer =
  | { status: 'held'; record: FenceRecord }
  | { status: 'lost'; record: FenceRecord; message: string }
  | {
      status: 'unknown';
      message: string;
      /** Set when the take is refused because of another server. */
      isConflict?: true;
    };

type Ports = {
  kind: FenceKind;
  facts: FenceFacts;
  store: Pick<ObjectStore, 'getBytes' | 'putBytes'>;
  prefix: string;
  installationId: string;
  serverId: string;
  /** Returns the mark of the next write. */
  makeNonce?: () => string;
  now: () => number;
};
type Conditional = { when: WriteCondition; signal: AbortSignal };
type FenceObject = { record: FenceRecord; tag: string };

const unknown = (message: string): FenceAnswer => ({ status: 'unknown', message });
const conflict = (message: string): FenceAnswer => ({ status: 'unknown', message, isConflict: true });

/** Returns the answer for an object that another server wrote. */
export const lostTo = (record: FenceRecord, serverId: string): FenceAnswer & { status: 'lost' } => ({
  status: 'lost',
  record,
  message: record.serverId === serverId ? lostTexts.copy : lostTexts.taken,
});

/**
 * Reads and writes the object that names the server that may write. Each check reads the object, renews it on the
 * condition that it is unchanged, and reads it back, so that neither an old copy nor an ignored condition passes for it.
 */
export function createFenceObject({
  kind,
  store,
  prefix,
  installationId,
  serverId,
  facts,
  makeNonce = randomUUID,
  now,
}: Ports) {
  const texts = fenceTextsOf(kind);
  const key = prefix === '' ? fenceObject : `${prefix}/${fenceObject}`;
  const read = (signal: AbortSignal) => readObject(store, key, signal);

  /** Writes a record on a condition and reads it back. Resolves to undefined when the condition was not met. */
  async function write(
    record: Pick<FenceRecord, 'term' | 'takenAt'>,
    when: Conditional,
  ): Promise<FenceAnswer | undefined> {
    const written: FenceRecord = {
      format: 'groundctl-fence',
      version: 1,
      installationId,
      serverId,
      term: record.term,
      takenAt: record.takenAt,
      nonce: makeNonce(),
    };
    // An answer that is lost may still have written it.
    facts.saveNonce(written.nonce);
    if (!(await putOn(store, { key, record: written, ...when }))) return undefined;
    const found = await read(when.signal);
    if (found && found !== 'garbled' && found.record.nonce === written.nonce) return hold(found);
    if (found && found !== 'garbled' && found.record.serverId !== serverId) return lose(found.record);
    return unknown(texts.lied);
  }

  function hold({ record }: FenceObject): FenceAnswer {
    facts.saveHeld(record);
    return { status: 'held', record };
  }
  function lose(record: FenceRecord): FenceAnswer {
    facts.saveLost(record);
    return lostTo(record, serverId);
  }

  /** Reads and renews the object. Resolves to undefined when it was changed between the two. */
  async function claim(signal: AbortSignal): Promise<FenceAnswer | undefined> {
    const found = await read(signal);
    if (found === 'garbled') return unknown(texts.garbled);
    if (!found) {
      if (facts.isFenced()) return unknown(texts.gone);
      return write({ term: 1, takenAt: now() }, { when: { ifAbsent: true }, signal });
    }
    const { record, tag } = found;
    if (record.installationId !== installationId) return { status: 'lost', record, message: texts.foreign };
    if (!facts.isOwn(record)) return lose(record);
    return write(record, { when: { ifMatch: tag }, signal });
  }

  /** Returns what a take writes; undefined for a ledger that is out of date. */
  function nextOf(record: FenceRecord | undefined): Pick<FenceRecord, 'term' | 'takenAt'> | undefined {
    const isOwn = record ? facts.isOwn(record) : facts.isNewest();
    if (!isOwn && !facts.mayTakeOver()) return undefined;
    if (record && isOwn) return { term: record.term, takenAt: record.takenAt };
    return { term: (record?.term ?? facts.findTerm()) + 1, takenAt: now() };
  }

  return {
    key,

    /** Renews the fence. Throws `StoreError` when the bucket does not answer. */
    async check(signal: AbortSignal): Promise<FenceAnswer> {
      return (await claim(signal)) ?? (await claim(signal)) ?? unknown(texts.lied);
    },

    /** Names this server, unless its ledger is out of date. */
    async take(signal: AbortSignal): Promise<FenceAnswer> {
      const found = await read(signal);
      if (found === 'garbled') return unknown(texts.garbled);
      const { record, tag } = found ?? {};
      if (record && record.installationId !== installationId) return { status: 'lost', record, message: texts.foreign };
      const next = nextOf(record);
      if (!next) return conflict(texts.old);
      const when: WriteCondition = tag === undefined ? { ifAbsent: true } : { ifMatch: tag };
      return (await write(next, { when, signal })) ?? conflict(texts.contested);
    },
  };
}

/** Returns the record in a store without a prefix; undefined when there is none. Throws `StoreError` or `NatsError`. */
export async function findFenceRecord(store: Ports['store']): Promise<FenceRecord | undefined> {
  const found = await readObject(store, fenceObject, undefined);
  return found === 'garbled' ? undefined : found?.record;
}

async function readObject(
  store: Ports['store'],
  key: string,
  signal: AbortSignal | undefined,
): Promise<FenceObject | 'garbled' | undefined> {
  const object = await store.getBytes(key, mostFenceBytes, { signal });
  const record = object && readRecord(object.bytes);
  if (object && (!record || object.tag === undefined)) return 'garbled';
  return record && { record, tag: object?.tag ?? '' };
}

type Put = Conditional & { key: string; record: FenceRecord };

/** Resolves to false when the condition was not met. */
const putOn = (store: Ports['store'], { key, record, when, signal }: Put): Promise<boolean> =>
  store.putBytes(key, writeRecord(record), { when, signal }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreError && (error.reason === 'changed' || error.reason === 'not_found')) return false;
      throw error;
    },
  );
