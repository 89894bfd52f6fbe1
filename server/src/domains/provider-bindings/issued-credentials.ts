import type { ConnectionsService } from '#server/domains/connections/index';
import type { RunRecord } from '#server/domains/runs/index';
import type { SealContext, Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { Secret } from '#server/kernel/secret';
import type { RunCredentials } from '#server/runner/index';
import { credentialsOf } from './credentials.ts';
import { createMintedSecrets } from './minted-secrets.ts';
import { type BindingResolution, namesOf } from './resolve.ts';
import type { ProviderBindingsStore } from './store.ts';

export type Grants = ReturnType<typeof createGrants>;
type Held = Pick<RunRecord, 'id' | 'workspaceId' | 'capsuleId'>;

type Deps = {
  db: Db;
  store: ProviderBindingsStore;
  vault: Pick<Vault, 'sealSecret' | 'openSecret'>;
  connections: Pick<ConnectionsService, 'noteUse'>;
  clock: Clock;
  /** Runs work whose deletions are overwritten in the ledger's file. */
  erase: <T>(work: () => T) => T;
};

const contextOf = ({ id, workspaceId }: Held): SealContext => ({
  table: 'run_credentials',
  row: id,
  column: 'sealed',
  workspaceId,
});

/**
 * Stores the credentials that active Runs were issued from Connections. They are kept sealed, apart from the
 * Connections, from the start of a Run until it leaves `running`. Revoking a Connection therefore takes nothing from a
 * running tool, and a process that takes over the Run can still redact them.
 */
export function createGrants({ db, store, vault, clock, connections, erase }: Deps) {
  const mintedSecrets = createMintedSecrets({ store, vault, clock });
  return {
    /**
     * Seals the credentials of a Run and records which names it was issued. Called in the transaction that starts the
     * Run. `minted` are those that exist for this Run only.
     */
    issue(run: Held, resolution: BindingResolution, minted: readonly Secret[] = []): void {
      if (resolution.supported.length === 0) return;
      db.write(() => {
        const { id, workspaceId, capsuleId } = run;
        const texts = minted.map((secret) => secret.reveal());
        if (capsuleId !== null && texts.length > 0) mintedSecrets.keep({ id, workspaceId, capsuleId }, texts);
        const former = capsuleId === null ? [] : mintedSecrets.list(capsuleId);
        const credentials = credentialsOf(resolution);
        const secrets = [...new Set([...credentials.secrets, ...former])];
        const text = JSON.stringify({ ...credentials, secrets });
        const sealed = vault.sealSecret(contextOf(run), new Secret(text));
        store.saveCredentials({ id: run.id, workspaceId: run.workspaceId, sealed });
        for (const one of resolution.supported) {
          const files = one.materials.files.flatMap(({ path, envName }) => (envName === undefined ? [path] : []));
          connections.noteUse({
            connectionId: one.description.id,
            runId: run.id,
            capsuleId: run.capsuleId ?? undefined,
            names: [...namesOf(one), ...files],
          });
        }
      });
    },

    /** Returns the credentials issued to a running Run; undefined when there are none. */
    open(run: Held): RunCredentials | undefined {
      const sealed = store.findCredentials(run.id);
      return sealed && (JSON.parse(vault.openSecret(contextOf(run), sealed).reveal()) as RunCredentials);
    },

    /** Erases the credentials of a Run. Called in the transaction that ends the Run or queues it again. */
    revoke(runId: string): void {
      if (store.hasCredentials(runId)) erase(() => store.deleteCredentials(runId));
    },

    /** Deletes what former Runs of a destroyed Capsule got for themselves. */
    deleteMinted: (capsuleId: string): void => erase(() => mintedSecrets.deleteAll(capsuleId)),
  };
}
