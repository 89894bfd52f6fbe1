import { canonicalJson, hmacHex, type MacKey, sha256Hex } from '#server/kernel/digest';
import type { ActivityStore, AuditHead, AuditRow, StoredRow } from './store.ts';

/** Result of verifying the whole trail. `head` is the newest valid row. */
export type TrailReport = {
  rows: number;
  head?: { seq: number; hash: string; at: number };
  /** The first sequence number at which the trail is not as it was written, and the reason. */
  broken?: { seq: number; sentence: string };
};

export const genesis = '0'.repeat(64);
const pageRows = 1_000;

/** SHA-256 over the bytes of the previous hash and the RFC 8785 form of the row without its hashes. */
export const hashOf = (bare: Omit<AuditRow, 'prevHash' | 'hash'>, prevHash: string): string =>
  sha256Hex(Buffer.concat([Buffer.from(prevHash, 'hex'), Buffer.from(canonicalJson(bare))]));

/** Anyone can recompute the hashes; this MAC over the newest one needs a key that is not in the ledger. */
export const headMac = (key: MacKey, { seq, hash }: Pick<AuditHead, 'seq' | 'hash'>): string =>
  hmacHex(key, `audit-head:${seq}:${hash}`);

type Link = { seq: number; hash: string; at: number };
type TrailStore = Pick<ActivityStore, 'listStored' | 'listHeads' | 'countRows'>;

/** Verifies the whole chain and compares its end with the head. Call it in a transaction when rows may change concurrently. */
export function checkTrail(store: TrailStore, installationKey: MacKey): TrailReport {
  let link: Link = { seq: 0, hash: genesis, at: 0 };
  const answer = (message?: string): TrailReport => ({
    rows: link.seq,
    ...(link.seq > 0 && { head: { ...link } }),
    ...(message !== undefined && { broken: { seq: link.seq + 1, sentence: message } }),
  });
  // Starts below sequence number 1, so that a row inserted before the first one is detected.
  let page = store.listStored(Number.MIN_SAFE_INTEGER, pageRows);
  while (page.length > 0) {
    for (const row of page) {
      const fault = findFault(row, link);
      if (fault !== undefined) return answer(fault);
      link = { seq: row.seq, hash: row.hash, at: row.createdAt };
    }
    page = store.listStored(link.seq, pageRows);
  }
  if (store.countRows() !== link.seq) return answer('A row lies outside the sequence numbers of the trail.');
  return answer(findHeadFault(store.listHeads(), link, installationKey));
}

/** Returns undefined when this row follows the link unaltered, otherwise the reason. */
function findFault(row: StoredRow, link: Link): string | undefined {
  if (row.seq !== link.seq + 1)
    return row.seq > link.seq ? `Row ${link.seq + 1} is missing.` : 'A row was inserted before the first one.';
  if (row.prevHash !== link.hash) return `Row ${row.seq} does not follow the row before it.`;
  return isAsWritten(row) ? undefined : `Row ${row.seq} was altered after it was written.`;
}

/** An attacker with access to the file can store anything in a column, also text that cannot be parsed. */
function isAsWritten({ prevHash, hash, metadata, ...bare }: StoredRow): boolean {
  try {
    const parsed = JSON.parse(metadata) as Record<string, unknown>;
    return JSON.stringify(parsed) === metadata && hash === hashOf({ ...bare, metadata: parsed }, prevHash);
  } catch {
    return false;
  }
}

/** The first start of a server writes a row, so a trail without a head was emptied. */
function findHeadFault([head, ...others]: readonly AuditHead[], link: Link, key: MacKey): string | undefined {
  if (head === undefined) return 'The head that seals the end of the trail is missing.';
  if (others.length > 0) return 'The trail has more than one head.';
  if (head.seq > link.seq)
    return `The end is cut off: the head names row ${head.seq}, and the last row is ${link.seq}.`;
  if (head.seq < link.seq || head.hash !== link.hash)
    return `The head names row ${head.seq}, which is not the last row.`;
  if (head.mac === headMac(key, link)) return undefined;
  return 'The head is not sealed with the key of this data folder: rows were rewritten, or keys/data.key is another key.';
}
