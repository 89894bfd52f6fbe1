import { isDeepStrictEqual } from 'node:util';
import type { FenceRecord } from './record.ts';

/** Fact of the ledger about the fence. */
export type FenceFact = {
  serverId: string;
  /** Nonces of this server that the object may have, oldest first: each is stored before it is written. */
  nonces: readonly string[];
  term: number;
  /** Restore of this ledger under which a server held the fence last; null when the ledger was never restored. */
  heldUnder?: string | null;
  /** The other server that was named last. */
  lost?: FenceRecord;
};

export type FenceFacts = ReturnType<typeof createFenceFacts>;

type Deps = {
  ledger: { find(): FenceFact | undefined; save(fact: FenceFact): void };
  serverId: string;
  /** The restore that this ledger comes from, and whether its first start has ended old work; undefined without one. */
  findRestore: () => { id: string; isStarted: boolean } | undefined;
};

/** More writes than can be without an answer before one of them is read. */
const mostNonces = 20;

/** Keeps what a restart must know, and decides what this ledger may conclude from the object. */
export function createFenceFacts({ ledger, serverId, findRestore }: Deps) {
  /** A fact that another server wrote into a copied ledger says when it was held, and nothing about this server. */
  function find(): FenceFact {
    const fact = ledger.find();
    if (fact?.serverId === serverId) return fact;
    return {
      serverId,
      nonces: [],
      term: fact?.term ?? 0,
      ...(fact?.heldUnder !== undefined && { heldUnder: fact.heldUnder }),
    };
  }

  return {
    findLost: (): FenceRecord | undefined => find().lost,
    findTerm: (): number => find().term,

    /** Reports whether a server held the fence with this ledger, so that an absent object is gone. */
    isFenced: (): boolean => find().heldUnder !== undefined,

    /** Reports whether this server wrote the object. With its id but another nonce, a copy of its data folder did. */
    isOwn(record: FenceRecord): boolean {
      const { nonces } = find();
      return record.serverId === serverId && (nonces.length === 0 || nonces.includes(record.nonce));
    },

    /** Reports whether no other server is known to have held the fence since this one. */
    isNewest(): boolean {
      const { heldUnder, lost } = find();
      return lost === undefined && (heldUnder === undefined || ledger.find()?.serverId === serverId);
    },

    /** Reports whether this ledger was started as a restored one since it held the fence last. */
    mayTakeOver(): boolean {
      const restore = findRestore();
      return restore?.isStarted === true && restore.id !== find().heldUnder;
    },

    saveNonce(nonce: string): void {
      const fact = find();
      if (!fact.nonces.includes(nonce)) ledger.save({ ...fact, nonces: [...fact.nonces, nonce].slice(-mostNonces) });
    },
    saveHeld({ nonce, term }: FenceRecord): void {
      const fact: FenceFact = { serverId, nonces: [nonce], term, heldUnder: findRestore()?.id ?? null };
      // A fence that is renewed every few seconds does not write each time.
      if (!isDeepStrictEqual(ledger.find(), fact)) ledger.save(fact);
    },
    saveLost: (lost: FenceRecord): void => ledger.save({ ...find(), lost }),
  };
}
