import { type Authority, loadNats } from '#server/drivers/nats/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { natsAuthority } from './schema.ts';

type Deps = { db: Db; vault: Pick<Vault, 'seal' | 'open'> };

const context = { table: 'nats_authority', row: '1', column: 'sealed', workspaceId: '' };

/** Opens the keys of this installation at NATS, which are made once and sealed in the ledger. */
export function createAuthorityOpener({ db, vault }: Deps): () => Promise<Authority> {
  let opened: Promise<Authority> | undefined;
  async function open(): Promise<Authority> {
    const nats = await loadNats();
    const record = db.write(() => {
      const row = db.orm.select().from(natsAuthority).get();
      if (row) return JSON.parse(vault.open(context, row.sealed).toString()) as unknown;
      const made = nats.createAuthorityRecord();
      const sealed = vault.seal(context, Buffer.from(JSON.stringify(made)));
      db.orm.insert(natsAuthority).values({ id: 1, sealed }).run();
      return made;
    });
    return nats.openAuthority(record);
  }
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
