import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { PlanRun } from '#server/domains/runs/index';
import type { Vault } from '#server/drivers/vault/index';
import { AppError } from '#server/kernel/errors';
import type { PlansStore } from './store.ts';

const Digests = z.array(z.string());

type Deps = { vault: Vault; store: Pick<PlansStore, 'insertDigests' | 'findDigests'> };
type Owner = Pick<PlanRun, 'id' | 'workspaceId'>;

const contextOf = ({ id, workspaceId }: Owner) => ({ table: 'plan_digests', row: id, column: 'sealed', workspaceId });

export type SealedDigests = ReturnType<typeof createSealedDigests>;

/** Seals the digests of a plan's sensitive values, because an equal digest would disclose an equal value elsewhere. */
export const createSealedDigests = ({ vault, store }: Deps) => ({
  insert(run: Owner, digests: readonly string[]): void {
    if (digests.length === 0) return;
    const sealed = vault.seal(contextOf(run), deflateRawSync(JSON.stringify(digests)));
    store.insertDigests({ runId: run.id, workspaceId: run.workspaceId, sealed });
  },
  /** Returns the digests in reading order; none for a plan of an earlier version, or when they are damaged. */
  find(run: Owner): string[] {
    const sealed = store.findDigests(run.id);
    if (sealed === undefined) return [];
    try {
      return Digests.parse(JSON.parse(inflateRawSync(vault.open(contextOf(run), sealed)).toString()));
    } catch (error) {
      if (error instanceof AppError) throw error;
      return [];
    }
  },
});
