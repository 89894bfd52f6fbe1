import type { AttentionItem, AttentionKind } from '#shared/dashboard/attention';
import type { RequestedPlan } from '#shared/notifications/contract';
import type { Attention } from '../../api/attention.ts';

/** Attention without the plans that are listed as requests. Each plan has one row on the page. */
export type RemainingAttention = Attention & { isRequested: (item: AttentionItem) => boolean };

export function withoutRequested(
  { counts, items }: Attention,
  requested: readonly Pick<RequestedPlan, 'id' | 'awaits'>[],
): RemainingAttention {
  const ids = new Set(requested.map(({ id }) => id));
  const isRequested = ({ id }: AttentionItem): boolean => ids.has(id);
  const remaining = (kind: AttentionKind, count: number): number =>
    Math.max(0, count - requested.filter(({ awaits }) => awaits === kind).length);
  return {
    counts: new Map([...counts].map(([kind, count]) => [kind, remaining(kind, count)])),
    items: items.filter((item) => !isRequested(item)),
    isRequested,
  };
}
