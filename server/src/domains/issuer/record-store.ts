import type { RecordStore } from '#server/drivers/issuer/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { sha256Hex } from '#server/kernel/digest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import type { OidcStore } from './store.ts';

type Deps = { db: Db; clock: Clock; vault: Pick<Vault, 'seal' | 'open'>; store: OidcStore };

const contextOf = (id: string) => ({ table: 'oidc_records', row: id, column: 'payload', workspaceId: '' });
const idOf = (kind: string, hash: string): string => `${kind}:${hash}`;

/** The ledger of codes, tokens and grants. Each call is a transaction of its own. */
export function createRecordStore({ db, clock, vault, store }: Deps): RecordStore {
  return {
    save({ kind, id: hash, payload, grantId, expiresAt }) {
      const id = idOf(kind, hash);
      const sealed = vault.seal(contextOf(id), Buffer.from(JSON.stringify(payload)));
      db.write(() => {
        store.sweepRecords(clock.now());
        store.saveRecord({ id, payload: sealed, grantId: grantId ?? null, consumedAt: null, expiresAt });
        // A grant with refresh tokens lives as long as its newest one.
        if (kind === 'RefreshToken' && grantId !== undefined)
          store.extendGrant(grantId, { recordId: idOf('Grant', sha256Hex(grantId)), expiresAt });
      });
    },
    find(kind, hash) {
      const id = idOf(kind, hash);
      const row = store.findRecord(id, clock.now());
      if (!row) return undefined;
      const payload = parseExactly(vault.open(contextOf(id), row.payload).toString()) as JsonObject;
      return { payload, ...(row.consumedAt !== null && { consumedAt: row.consumedAt }) };
    },
    consume: (kind, hash) => db.write(() => store.consumeRecord(idOf(kind, hash), clock.now())),
    remove: (kind, hash) => db.write(() => store.deleteRecord(idOf(kind, hash))),
    removeGrant: (grantId) => db.write(() => store.deleteGrant(grantId)),
  };
}
