import type { SealContext, Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { Secret } from '#server/kernel/secret';
import { runCredentialLimits } from '#shared/limits';
import type { ProviderBindingsStore } from './store.ts';

type Owner = { id: string; workspaceId: string; capsuleId: string };
type Deps = {
  store: ProviderBindingsStore;
  vault: Pick<Vault, 'sealSecret' | 'openSecret'>;
  clock: Clock;
};

const contextOf = ({ id, workspaceId }: Pick<Owner, 'id' | 'workspaceId'>): SealContext => ({
  table: 'minted_secrets',
  row: id,
  column: 'sealed',
  workspaceId,
});

/** Stores, sealed, the credentials that the newest Runs of each Capsule got for themselves. */
export function createMintedSecrets({ store, vault, clock }: Deps) {
  return {
    /** Saves the secrets of a Run, and deletes all but those of the newest Runs. */
    save(run: Owner, secrets: readonly string[]): void {
      const sealed = vault.sealSecret(contextOf(run), new Secret(JSON.stringify(secrets)));
      const { id, workspaceId, capsuleId } = run;
      store.saveMinted({ id, workspaceId, capsuleId, sealed, createdAt: clock.now() });
      const old = store.listMinted(capsuleId).slice(runCredentialLimits.rememberedRuns);
      if (old.length > 0) store.deleteMinted(old.map((row) => row.id));
    },

    list: (capsuleId: string): string[] =>
      store
        .listMinted(capsuleId)
        .flatMap((row) => JSON.parse(vault.openSecret(contextOf(row), row.sealed).reveal()) as string[]),

    has: (capsuleId: string): boolean => store.listMinted(capsuleId).length > 0,

    /** Deletes the secrets of a Capsule without a state. */
    deleteAll(capsuleId: string): void {
      const rows = store.listMinted(capsuleId);
      if (rows.length > 0) store.deleteMinted(rows.map(({ id }) => id));
    },
  };
}
