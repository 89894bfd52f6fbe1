import { randomUUID } from 'node:crypto';
import { type ObjectStore, StoreError, type WriteCondition } from '#server/drivers/object-store/index';
import { type FenceRecord, fenceObject, mostFenceBytes, readRecord, writeRecord } from './record.ts';

/** Answer of the bucket. `lost` names another server; `unknown` has the reason as a sentence. */
export type FenceAnswer =
  | { status: 'held'; record: FenceRecord }
  | { status: 'lost'; record: FenceRecord; message: string }
  | {
      status: 'unknown';
      message: string /** Set when another server changed the object at the same time. */;
      isContested?: true;
    };

type Ports = {
  store: Pick<ObjectStore, 'getBytes' | 'putBytes'>;
  prefix: string;
  installationId: string;
  serverId: string;
  now: () => number;
};
type Conditional = { when: WriteCondition; signal: AbortSignal };
type FenceObject = { record: FenceRecord; tag: string };

const unknown = (message: string): FenceAnswer => ({ status: 'unknown', message });
const texts = {
  foreign: 'The fence belongs to another installation. Give this one another prefix in GROUNDCTL_FENCE_URL.',
  gone: 'The object of the fence is gone from the bucket. If no other server writes, run `groundctl fence take`.',
  garbled: 'The object in the bucket is not a fence. Check GROUNDCTL_FENCE_URL.',
  copy: 'Another server with the data of this one has renewed the fence. Only one of them may run: stop it, or run `groundctl fence take` here.',
  taken:
    'Another server has taken the fence, so this one is read-only. Stop it, or run `groundctl fence take` here if the other one is gone.',
  contested: 'Another server took the fence at the same time. Read it, and try again if it is right.',
  lied: 'The bucket did not return what was written to it, so nothing can be concluded from it.',
} as const;

const contested: FenceAnswer = { status: 'unknown', message: texts.contested, isContested: true };

/**
 * Reads and writes the object that names the server that may write. Each check reads the object, renews it on the
 * condition that it is unchanged, and reads it back, so that neither an old copy nor an ignored condition passes for it.
 */
export function createFenceObject({ store, prefix, installationId, serverId, now }: Ports) {
  const key = prefix === '' ? fenceObject : `${prefix}/${fenceObject}`;
  /** Nonces of this process; an answer without its own tag may still have written one of them. */
  const nonces = new Set<string>();
  let wasHeld = false;

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
      ...record,
      nonce: randomUUID(),
    };
    nonces.add(written.nonce);
    if (!(await putOn(store, { key, record: written, ...when }))) return undefined;
    const found = await read(when.signal);
    if (found && found !== 'garbled' && found.record.nonce === written.nonce) return hold(found);
    if (found && found !== 'garbled' && found.record.serverId !== serverId) return lose(found.record);
    return unknown(texts.lied);
  }

  function hold(found: FenceObject): FenceAnswer {
    wasHeld = true;
    nonces.clear();
    nonces.add(found.record.nonce);
    return { status: 'held', record: found.record };
  }
  function lose(record: FenceRecord): FenceAnswer {
    const isCopy = record.serverId === serverId;
    return { status: 'lost', record, message: isCopy ? texts.copy : texts.taken };
  }

  async function claim(signal: AbortSignal): Promise<FenceAnswer> {
    const found = await read(signal);
    if (found === 'garbled') return unknown(texts.garbled);
    if (!found) {
      if (wasHeld) return unknown(texts.gone);
      return (await write({ term: 1, takenAt: now() }, { when: { ifAbsent: true }, signal })) ?? unknown(texts.lied);
    }
    const { record, tag } = found;
    if (record.installationId !== installationId) return { status: 'lost', record, message: texts.foreign };
    if (record.serverId !== serverId || (wasHeld && !nonces.has(record.nonce))) return lose(record);
    return (await write(record, { when: { ifMatch: tag }, signal })) ?? unknown(texts.lied);
  }

  return {
    key,

    /** Renews the fence. Throws `StoreError` when the bucket does not answer. */
    check: claim,

    /** Names this server. */
    async take(signal: AbortSignal): Promise<FenceAnswer> {
      const found = await read(signal);
      if (found === 'garbled') return unknown(texts.garbled);
      if (!found) return (await write({ term: 1, takenAt: now() }, { when: { ifAbsent: true }, signal })) ?? contested;
      const { record, tag } = found;
      if (record.installationId !== installationId) return { status: 'lost', record, message: texts.foreign };
      const isOwn = record.serverId === serverId && nonces.has(record.nonce);
      const next = isOwn ? record : { term: record.term + 1, takenAt: now() };
      const when = { ifMatch: tag };
      return (await write({ term: next.term, takenAt: next.takenAt }, { when, signal })) ?? contested;
    },
  };
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
