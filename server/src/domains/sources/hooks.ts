import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Vault } from '#server/drivers/vault/index';
import { sha256Hex } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import type { RawRequest } from '#shared/kernel/endpoint';
import type { SourcesStore } from './store.ts';
import type { SourceWatch } from './watch.ts';

type Deps = {
  vault: Pick<Vault, 'open'>;
  store: Pick<SourcesStore, 'findSource'>;
  watch: SourceWatch;
  /** While it is true, a call queues no sync. */
  isPaused: () => boolean;
};

export type SourceHooks = ReturnType<typeof createSourceHooks>;

/** Webhooks of Git hosts. Their content is never read: they only prove the secret and trigger a sync. */
export function createSourceHooks({ vault, store, watch, isPaused }: Deps) {
  return {
    /**
     * Returns the write for a call whose secret is valid. Throws 404, 401 `unauthorized`, and 503 `feature_unavailable`
     * while the installation is paused.
     */
    receive(sourceId: string, request: RawRequest): () => { accepted: true; runId?: string; runIds: string[] } {
      const row = store.findSource(sourceId);
      if (!row) throw notFound('Source');
      const { id, workspaceId } = row;
      const secret = vault.open({ table: 'sources', row: id, column: 'hook_secret', workspaceId }, row.hookSecret);
      if (!isProven(request, secret))
        throw new AppError(
          'unauthorized',
          'The webhook secret is missing or wrong. Set the secret of the Source at the Git host.',
          {
            headers: { 'www-authenticate': 'Bearer realm="svc"' },
          },
        );
      if (isPaused())
        throw new AppError(
          'feature_unavailable',
          'This installation was restored from a backup and is paused, so no sync was queued. Its owner ends the pause.',
          { details: { reason: 'installation_paused' } },
        );
      return () => {
        const runIds = watch.syncLanes(id, 'webhook');
        const [runId] = runIds;
        return { accepted: true, ...(runId !== undefined && { runId }), runIds };
      };
    },
  };
}

/**
 * Reports whether the request proves the secret. One valid proof is enough; all are computed always and compared in
 * constant time.
 */
function isProven({ bytes, headers }: RawRequest, secret: Buffer): boolean {
  const bearer = /^bearer ([\x21-\x7e]+)$/i.exec(headers['authorization'] ?? '')?.[1];
  const signature = /^sha256=([0-9a-f]{64})$/i.exec(headers['x-hub-signature-256'] ?? '')?.[1];
  const signed = createHmac('sha256', secret).update(bytes).digest();
  const proofs = [
    isSame(hashOf(bearer ?? ''), hashOf(secret)),
    isSame(hashOf(headers['x-gitlab-token'] ?? ''), hashOf(secret)),
    isSame(Buffer.from(signature ?? '0'.repeat(64), 'hex'), signed),
  ];
  return proofs.includes(true);
}

const hashOf = (bytes: string | Buffer): Buffer => Buffer.from(sha256Hex(bytes), 'hex');
const isSame = (left: Buffer, right: Buffer): boolean => timingSafeEqual(left, right);
