import type { Vault } from '#server/drivers/vault/index';
import type { WebhookRow } from './store.ts';

type Owner = Pick<WebhookRow, 'id' | 'workspaceId'>;
type Column = 'url' | 'secret' | 'previous_secret';

/** Seals the address and the secrets of webhooks, and opens them for a delivery. */
export function createWebhookSealing(vault: Pick<Vault, 'seal' | 'open'>) {
  const contextOf = ({ id, workspaceId }: Owner, column: Column) => ({
    table: 'webhooks',
    row: id,
    column,
    workspaceId,
  });
  const open = (row: WebhookRow, column: Column, sealed: Buffer) =>
    vault.open(contextOf(row, column), sealed).toString();
  return {
    seal: (row: Owner, column: Column, text: string): Buffer => vault.seal(contextOf(row, column), Buffer.from(text)),
    openUrl: (row: WebhookRow): URL => new URL(open(row, 'url', row.url)),
    /** Returns the secrets that deliveries are signed with now, the newest first. */
    openSecrets(row: WebhookRow, now: number): string[] {
      const { secret, previousSecret, previousSecretUntil } = row;
      const isOverlapping = previousSecret !== null && (previousSecretUntil ?? 0) > now;
      return [open(row, 'secret', secret), ...(isOverlapping ? [open(row, 'previous_secret', previousSecret)] : [])];
    },
    /** Seals the current secret again as the previous one. */
    moveToPrevious: (row: WebhookRow): Buffer =>
      vault.seal(contextOf(row, 'previous_secret'), Buffer.from(open(row, 'secret', row.secret))),
  };
}
export type WebhookSealing = ReturnType<typeof createWebhookSealing>;
