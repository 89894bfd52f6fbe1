import { createBackupKeyPair } from '#server/drivers/backup-archive/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { BackupsStore } from './store.ts';

type Deps = { db: Db; clock: Clock; vault: Vault; store: Pick<BackupsStore, 'findKey' | 'insertKey'> };

const sealContextOf = (workspaceId: string) => ({
  table: 'backup_keys',
  row: workspaceId,
  column: 'identity',
  workspaceId,
});

/** Key pairs of Workspaces, for their archives. */
export const createBackupKeys = ({ db, clock, vault, store }: Deps) => ({
  /** Returns the recipient of a Workspace, and creates its key pair before its first backup. */
  async ensureRecipient(workspaceId: string): Promise<string> {
    const known = store.findKey(workspaceId);
    if (known) return known.recipient;
    const { recipient, identity } = await createBackupKeyPair();
    return db.write(() => {
      const first = store.findKey(workspaceId);
      if (first) return first.recipient;
      const sealed = vault.seal(sealContextOf(workspaceId), Buffer.from(identity));
      store.insertKey({ workspaceId, recipient, identity: sealed, createdAt: clock.now() });
      return recipient;
    });
  },
  /** Returns the secret key of a Workspace; undefined when it was never created. Throws when it cannot be opened. */
  openIdentity(workspaceId: string): string | undefined {
    const row = store.findKey(workspaceId);
    return row && vault.open(sealContextOf(workspaceId), row.identity).toString();
  },
});
export type BackupKeys = ReturnType<typeof createBackupKeys>;
