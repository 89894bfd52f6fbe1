import { type CapsulesService, findHold } from '#server/domains/capsules/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { dashboardApi } from '#shared/dashboard/api';
import { type AttentionItem, type AttentionKind, attentionKinds } from '#shared/dashboard/attention';
import type { AttentionRow, AttentionStore } from './attention-store.ts';

type Deps = {
  clock: Clock;
  cursors: Cursors;
  store: AttentionStore;
  capsules: Pick<CapsulesService, 'getRow'>;
};

/** Without a kind, this many items of each are shown. */
const previewed = 8;

/** Creates the read of what needs attention: exact counts, and the first items of each kind or a page of one. */
export const createAttention =
  ({ clock, cursors, store, capsules }: Deps) =>
  (workspaceId: string, query: ListQueryOf<typeof dashboardApi.getAttention>) => {
    const scope = { workspaceId, now: clock.now() };
    const itemOf = (one: AttentionKind, { id, at, item }: AttentionRow): AttentionItem => {
      const hold = item.capsuleId === undefined ? undefined : findHold(capsules.getRow(item.capsuleId), scope.now);
      return { ...item, ...(hold && { hold }), kind: one, id, at: isoTime(at) };
    };
    const counts = attentionKinds.map((one) => ({ kind: one, count: store.count(one, scope) }));
    const { kind, ...page } = query;
    if (kind === undefined) {
      // Items of several kinds have no further page, so every cursor is of another list.
      cursors.decode(`attention:${workspaceId}`, page.cursor);
      const items = counts.flatMap(({ kind: one, count }) =>
        count === 0
          ? []
          : store.list(one, scope, { after: undefined, limit: previewed }).map((row) => itemOf(one, row)),
      );
      return { counts, items };
    }
    const { rows, next } = readPage(cursors, page, {
      binding: `attention:${workspaceId}:${kind}`,
      fetch: (after, limit) =>
        store.list(kind, scope, { after: after && { rank: Number(after[0]), id: String(after[1]) }, limit }),
      positionOf: ({ rank, id }) => [rank, id],
    });
    return { counts, items: rows.map((row) => itemOf(kind, row)), ...next };
  };
