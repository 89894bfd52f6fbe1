import { and, asc, eq, inArray, isNull, lte, not, or, sql } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { credentialIssuances } from './schema.ts';

export type IssuanceRow = typeof credentialIssuances.$inferSelect;
type NewIssuance = Pick<IssuanceRow, 'key' | 'runId' | 'connectionId' | 'recipeId' | 'request'> &
  Partial<Pick<IssuanceRow, 'credentialId'>>;
export type IssuanceStore = ReturnType<typeof createIssuanceStore>;

/** Credentials that Runs requested from credential services. */
export function createIssuanceStore({ orm }: Db) {
  /** A Run that is queued again uses its credentials in its next attempt. */
  const isOver = or(isNull(runs.id), not(inArray(runs.status, ['queued', 'running'])));
  const ofSeq = (seq: number) => eq(credentialIssuances.seq, seq);
  return {
    listOfRun: (runId: string, recipeId: string): IssuanceRow[] =>
      orm
        .select()
        .from(credentialIssuances)
        .where(and(eq(credentialIssuances.runId, runId), eq(credentialIssuances.recipeId, recipeId)))
        .orderBy(asc(credentialIssuances.seq))
        .all(),
    insert: (row: NewIssuance): IssuanceRow => orm.insert(credentialIssuances).values(row).returning().get(),
    update: (seq: number, set: Partial<IssuanceRow>): void =>
      void orm.update(credentialIssuances).set(set).where(ofSeq(seq)).run(),
    delete: (seq: number): void => void orm.delete(credentialIssuances).where(ofSeq(seq)).run(),
    /** Credentials of ended Runs whose next revocation is due, oldest first. */
    listDue: (now: number): IssuanceRow[] =>
      orm
        .select({ row: credentialIssuances })
        .from(credentialIssuances)
        .leftJoin(runs, eq(runs.id, credentialIssuances.runId))
        .where(and(isOver, lte(credentialIssuances.dueAt, now)))
        .orderBy(asc(credentialIssuances.dueAt), asc(credentialIssuances.seq))
        .all()
        .map(({ row }) => row),
    findNextDue: (): number | undefined =>
      orm
        .select({ at: sql<number | null>`min(${credentialIssuances.dueAt})` })
        .from(credentialIssuances)
        .leftJoin(runs, eq(runs.id, credentialIssuances.runId))
        .where(isOver)
        .get()?.at ?? undefined,
  };
}
