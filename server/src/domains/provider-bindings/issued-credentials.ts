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

const noCredentials: RunCredentials = { env: {}, files: [], providers: [], secrets: [] };

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

  /** Saves the credentials of a Run. Returns those of the newest Runs of its Capsule, this one included. */
  function saveMinted({ id, workspaceId, capsuleId }: Held, minted: readonly Secret[]): string[] {
    if (capsuleId === null) return [];
    const texts = minted.map((secret) => secret.reveal());
    if (texts.length > 0) mintedSecrets.save({ id, workspaceId, capsuleId }, texts);
    return mintedSecrets.list(capsuleId);
  }

  return {
    /**
     * Seals the credentials of a Run and records which names it was issued. Called in the transaction that starts the
     * Run. `minted` are those that exist for this Run only. A Run without a Connection gets only what it must redact:
     * the credentials of former Runs.
     */
    issue(run: Held, resolution?: BindingResolution, minted: readonly Secret[] = []): void {
      const supported = resolution?.supported ?? [];
      db.write(() => {
        const former = saveMinted(run, minted);
        if (supported.length + former.length === 0) return;
        const credentials = resolution ? credentialsOf(resolution) : noCredentials;
        const secrets = [...new Set([...credentials.secrets, ...former])];
        const text = JSON.stringify({ ...credentials, secrets });
        const sealed = vault.sealSecret(contextOf(run), new Secret(text));
        store.saveCredentials({ id: run.id, workspaceId: run.workspaceId, sealed });
        for (const one of supported) {
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

    hasMinted: mintedSecrets.has,
    /** Deletes the credentials that former Runs of a destroyed Capsule got for themselves. */
    deleteMinted: (capsuleId: string): void => erase(() => mintedSecrets.deleteAll(capsuleId)),
  };
}
