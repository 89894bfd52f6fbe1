import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { parseExactly } from '#shared/kernel/exact-number';
import { idempotencyKeyBytes } from '#shared/limits';
import type { Clock } from '../clock.ts';
import type { Db } from '../db.ts';
import { canonicalJson, hmacHex, type MacKey, sha256Hex } from '../digest.ts';
import { AppError } from '../errors.ts';
import { failpoint } from '../failpoints.ts';
import { receipts } from '../schema.ts';

type ReceiptKey = { scope: string; actor: string; route: string; key: string };
type StoredAnswer = { status: number; body: unknown };

export type Receipts = {
  /** Returns the trimmed key of 1 to 256 bytes; throws 400 `invalid_request` otherwise. */
  checkKey(key: string): string;
  digestOf(request: unknown): string;
  /** Returns the stored answer. Throws 409 `idempotency_conflict` when the key was used for another request. */
  find(key: ReceiptKey, requestDigest: string): StoredAnswer | undefined;
  /** Stores an answer in the transaction of the effect. */
  store(key: ReceiptKey, requestDigest: string, answer: StoredAnswer): void;
  /** Deletes expired receipts. */
  sweep(): void;
};

const { min: least, max: most } = idempotencyKeyBytes;
const retentionMs = 24 * 3_600_000;
/** Members that are shown once and never stored. */
const oneTimeMembers = ['token', 'hookSecret', 'signingSecret', 'invitation'];
/** Reports whether a member is shown once. The record of a token is named `token` too, and is not secret. */
const isOneTime = (name: string, value: unknown): boolean =>
  oneTimeMembers.includes(name) && !(name === 'token' && typeof value === 'object');

/**
 * Creates the store of receipts for requests with an `Idempotency-Key`. Digests are MACs under the installation key, so
 * that a copy of the ledger does not reveal short values.
 */
export function createReceipts(db: Db, clock: Clock, installationKey: MacKey): Receipts {
  const row = ({ scope, actor, route, key }: ReceiptKey) => ({ scope, actor, route, keyDigest: sha256Hex(key) });
  const sweep = () => void db.orm.delete(receipts).where(lte(receipts.expiresAt, clock.now())).run();
  const selectReceipt = db.orm
    .select()
    .from(receipts)
    .where(
      and(
        eq(receipts.scope, sql.placeholder('scope')),
        eq(receipts.actor, sql.placeholder('actor')),
        eq(receipts.route, sql.placeholder('route')),
        eq(receipts.keyDigest, sql.placeholder('keyDigest')),
        gt(receipts.expiresAt, sql.placeholder('now')),
      ),
    )
    .prepare();
  return {
    checkKey(key) {
      const trimmed = key.trim();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
      if (/^[^\u0000-\u001f\u007f]+$/.test(trimmed) && Buffer.byteLength(trimmed) <= most) return trimmed;
      throw new AppError(
        'invalid_request',
        `The Idempotency-Key must have ${least} to ${most} bytes without control characters.`,
      );
    },
    digestOf: (request) => hmacHex(installationKey, canonicalJson(request)),
    find(key, requestDigest) {
      const receipt = selectReceipt.get({ ...row(key), now: clock.now() });
      if (!receipt) return undefined;
      if (receipt.requestDigest !== requestDigest) {
        throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request. Use a new key.');
      }
      return {
        status: receipt.status,
        body: receipt.body === null ? undefined : parseExactly(receipt.body.toString()),
      };
    },
    store(key, requestDigest, { status, body }) {
      const storedBody =
        body === undefined
          ? null
          : Buffer.from(JSON.stringify(body, (name, value) => (isOneTime(name, value) ? undefined : value)));
      const values = { ...row(key), requestDigest, status, body: storedBody, expiresAt: clock.now() + retentionMs };
      sweep();
      db.orm.insert(receipts).values(values).run();
      failpoint('receipt.stored');
    },
    sweep,
  };
}
