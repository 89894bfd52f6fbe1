import type { StateHead, StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { unpackText } from '#server/kernel/packed';
import { present } from '#server/kernel/present';
import { parseExactly } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { Projection, ProjectionReason, StateResource } from '#shared/state-resources/contract';
import { createDigest, type Digest } from './digest.ts';
import { createLateMarks, type LateMarks, noLateMarks } from './late-marks.ts';
import { maskAgain } from './mask.ts';
import { digestKeyOf } from './projector.ts';
import type { Sealing } from './sealing.ts';
import type { ProjectionRow, StateResourcesStore } from './store.ts';
import {
  type Addresses,
  type IndexEntry,
  objectKey,
  outputAddress,
  type ProjectionHead,
  type ProjectionPage,
  type StoredOutput,
  unpackJson,
} from './stored.ts';
import type { WorkerLink } from './worker-link.ts';

type Deps = {
  vault: Pick<Vault, 'installationKey'>;
  store: Pick<StateResourcesStore, 'findProjection' | 'findPage' | 'findLateMarks'>;
  sealing: Sealing;
  link: WorkerLink;
  states: Pick<StateVersionsService, 'openPacked'>;
};

/** Objects of a StateVersion as they may be shown, apart from the digests in their marks. */
export type ReadableState = {
  projection: Projection;
  head: ProjectionHead;
  digest: Digest;
  /** Returns the object of an index entry. */
  find(entry: IndexEntry): StateResource | undefined;
  /** Reports whether a page can hold a text, in lower case, before it is parsed, and how many characters that read. */
  search(page: number, text: string): { mayHold: boolean; characters: number };
};

/** Opens what is shown of a StateVersion. Pages are opened on demand. */
export function createStateReader(deps: Deps) {
  const openAddresses = createAddressReader(deps);
  return async ({ id }: Pick<StateHead, 'id'>): Promise<ReadableState> => {
    const row = deps.store.findProjection(id);
    const digest = createDigest(digestKeyOf(deps.vault));
    if (row?.head) return openProjection({ ...row, head: row.head }, digest, deps);
    if (row?.status === 'pending') return { projection: { status: 'pending' }, ...nothing, digest };
    return { ...(await openAddresses(id, row ? 'unreadable' : 'earlier_version')), digest };
  };
}

const emptyHead: ProjectionHead = { index: [], modules: [], checks: [], outputs: [] };
const nothing = { head: emptyHead, find: () => undefined, search: () => ({ mayHold: false, characters: 0 }) };

const noAddresses: Addresses = { resources: [], modules: [] };

/**
 * Reads states without a projection, in the worker each time; those that were read last are cached. A state that cannot
 * be read is tried once in the life of the server, because an attempt can take minutes of the worker.
 */
function createAddressReader({ vault, link, states }: Deps) {
  let last: { id: string; addresses: Addresses } | undefined;
  const failed = new Set<string>();

  async function read(id: string): Promise<Addresses> {
    if (last?.id === id) return last.addresses;
    if (failed.has(id)) return noAddresses;
    const state = states.openPacked(id);
    const answer = await link.request({ kind: 'addresses', state, secrets: [], digestKey: digestKeyOf(vault) });
    if (answer === 'stopped') return noAddresses;
    if (!('addresses' in answer)) {
      failed.add(id);
      return noAddresses;
    }
    const addresses = unpackJson<Addresses>(Buffer.from(answer.addresses));
    last = { id, addresses };
    return addresses;
  }

  return async (id: string, reason: ProjectionReason): Promise<Omit<ReadableState, 'digest'>> => {
    const { resources, modules } = await read(id);
    const index = resources.map(({ address, moduleAddress, deposed, mode }) => ({
      ...present({ moduleAddress, deposed, isData: mode === 'data' ? (true as const) : undefined }),
      address,
      digest: '',
      page: 0,
    }));
    const byKey = new Map(resources.map((resource) => [objectKey(resource), resource]));
    return {
      projection: { status: 'addresses_only', reason },
      head: { ...emptyHead, index, modules },
      find: (entry) => byKey.get(objectKey(entry)),
      search: () => ({ mayHold: true, characters: 0 }),
    };
  };
}

/** A list goes from page to page; a comparison returns to earlier ones for objects that were moved. */
const maxCachedPages = 8;

function openProjection(
  row: ProjectionRow & { head: Buffer },
  digest: Digest,
  { store, sealing }: Pick<Deps, 'store' | 'sealing'>,
): ReadableState {
  const marks = store.findLateMarks(row.capsuleId);
  const lateMarksOf = createLateMarks(
    marks ? unpackJson<LateMarks>(sealing.openMarks(marks)) : noLateMarks,
    row.generation,
  );
  const textOf = keepLast(1, (number) => {
    const page = store.findPage(row.stateVersionId, number);
    return page ? unpackText(sealing.openPage(page)) : '[]';
  });
  const pageOf = keepLast(maxCachedPages, (number) => {
    const page = parseExactly(textOf(number)) as ProjectionPage;
    return new Map(page.map((resource) => [objectKey(resource), resource]));
  });
  const head = unpackJson<ProjectionHead>(sealing.openHead(row));
  const maskedOutput = (output: StoredOutput): StoredOutput => {
    const isMarked = lateMarksOf(outputAddress(output.name)).length > 0;
    return isMarked ? { ...output, sensitive: true, value: maskAgain(output.value, [[]], digest) } : output;
  };
  return {
    projection: { status: 'ready' },
    head: { ...head, outputs: head.outputs.map(maskedOutput) },
    digest,
    find(entry) {
      const resource = pageOf(entry.page).get(objectKey(entry));
      const late = resource ? lateMarksOf(resource.address) : [];
      if (!resource || late.length === 0) return resource;
      return { ...resource, attributes: maskAgain(resource.attributes as Json, late, digest) };
    },
    search(page, text) {
      const shown = textOf(page);
      const mayHold = shown.toLowerCase().includes(JSON.stringify(text).slice(1, -1));
      return { mayHold, characters: shown.length };
    },
  };
}

/** Computes the value of a page, and keeps those of the pages that were used last. */
function keepLast<T>(count: number, compute: (page: number) => T): (page: number) => T {
  const cached = new Map<number, T>();
  return (page) => {
    const value = cached.has(page) ? (cached.get(page) as T) : compute(page);
    cached.delete(page);
    cached.set(page, value);
    for (const oldest of cached.keys()) if (cached.size > count) cached.delete(oldest);
    return value;
  };
}

export type StateReader = ReturnType<typeof createStateReader>;
