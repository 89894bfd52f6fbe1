import { eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { installPlans } from '#server/domains/install-plans/schema';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';

const named = (column: unknown, path: string): SQL<unknown> => sql`json_extract(${column}, ${`$.${path}`})`;

export const createOperatorStore = ({ orm }: Pick<Db, 'orm'>) => ({
  /**
   * Reports whether a configuration is in use: by a Capsule of any status, a Run of any status, or an installation in
   * progress. What was installed from it and what was proposed on top of it hold copies and refer to it by its digest.
   */
  isConfigUsed(id: string): boolean {
    const any = (table: SQLiteTable, where: SQL | undefined): boolean =>
      orm.select({ one: sql`1` }).from(table).where(where).limit(1).get() !== undefined;
    const { facts, request, completedAt } = installPlans;
    const ofPlan = ['installConfigBaseId', 'installConfigId'].map((path) => eq(named(facts, path), id));
    const preflight = eq(named(request, 'preflight.installConfigId'), id);
    return (
      any(capsules, eq(capsules.installConfigId, id)) ||
      any(installPlans, sql`${isNull(completedAt)} AND ${or(...ofPlan, preflight)}`) ||
      any(runs, eq(named(runs.input, 'installConfigId'), id))
    );
  },
});
