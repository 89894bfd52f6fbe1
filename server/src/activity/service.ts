import type { Clock } from '#server/kernel/clock';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { newId } from '#server/kernel/ids';
import { beforeSeq, type Cursors, type PageAsk, readPage } from '#server/kernel/page';
import type { ActivityEvent } from '#shared/activity/contract';
import { limits } from '#shared/limits';
import { type AuditRow, createActivityStore } from './store.ts';

/** One thing that happened; value-free. `actorId` is absent for the system. */
export type Deed = {
  workspaceId?: string | undefined;
  actorId?: string | undefined;
  action: string;
  targetType: string;
  targetId: string;
  runId?: string | undefined;
  metadata?: Record<string, unknown>;
};

export type ActivityService = ReturnType<typeof createActivityService>;

const genesis = '0'.repeat(64);
const pageRows = 1_000;

type Deps = { db: Db; clock: Clock; cursors: Cursors; installationKey: string };

export function createActivityService({ db, clock, cursors, installationKey }: Deps) {
  const store = createActivityStore(db);
  const macOf = (seq: number, hash: string) => hmacHex(installationKey, `audit-head:${seq}:${hash}`);

  return {
    /** Appends one row to the trail, inside the transaction that made it true. */
    record(deed: Deed): void {
      const head = store.findHead();
      const prevHash = head?.hash ?? genesis;
      const bare = {
        seq: (head?.seq ?? 0) + 1,
        id: newId('activity'),
        workspaceId: deed.workspaceId ?? null,
        actorId: deed.actorId ?? null,
        action: deed.action,
        targetType: deed.targetType,
        targetId: deed.targetId,
        runId: deed.runId ?? null,
        metadata: deed.metadata ?? {},
        createdAt: clock.now(),
      };
      const hash = hashOf(bare, prevHash);
      store.append({ ...bare, prevHash, hash }, macOf(bare.seq, hash));
    },

    list(workspaceId: string, query: PageAsk) {
      const { rows, next } = readPage(cursors, query, {
        binding: `activity:${workspaceId}`,
        max: limits.runPageMax,
        fetch: (after, limit) => store.listBefore(workspaceId, beforeSeq(after), limit),
        positionOf: ({ seq }) => [seq],
      });
      return { events: rows.map(eventOf), ...next };
    },

    /** Walks the whole chain. The first broken sequence number, or undefined when every hash and the head hold. */
    findBreak(): number | undefined {
      let link = { seq: 0, hash: genesis };
      for (let rows = store.listAfter(0, pageRows); rows.length > 0; rows = store.listAfter(link.seq, pageRows)) {
        for (const row of rows) {
          if (!follows(row, link)) return link.seq + 1;
          link = row;
        }
      }
      // The first start of a server writes a row, so a trail without a head was emptied.
      const head = store.findHead();
      const isWhole = head?.seq === link.seq && head.hash === link.hash && head.mac === macOf(link.seq, link.hash);
      return isWhole ? undefined : link.seq + 1;
    },
  };
}

/** SHA-256 over the bytes of the previous hash and the RFC 8785 form of the row without its hashes. */
const hashOf = (bare: Omit<AuditRow, 'prevHash' | 'hash'>, prevHash: string): string =>
  sha256Hex(Buffer.concat([Buffer.from(prevHash, 'hex'), Buffer.from(canonicalJson(bare))]));

/** Is this row the one that belongs after the link, unaltered? */
function follows({ prevHash, hash, ...bare }: AuditRow, link: { seq: number; hash: string }): boolean {
  return bare.seq === link.seq + 1 && prevHash === link.hash && hash === hashOf(bare, prevHash);
}

const eventOf = (row: AuditRow): ActivityEvent => ({
  id: row.id,
  workspaceId: row.workspaceId ?? '',
  ...(row.actorId !== null && { actorId: row.actorId }),
  action: row.action,
  targetType: row.targetType,
  targetId: row.targetId,
  ...(row.runId !== null && { runId: row.runId }),
  metadata: row.metadata,
  createdAt: isoTime(row.createdAt),
});
