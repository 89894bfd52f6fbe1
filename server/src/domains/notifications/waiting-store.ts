import { and, desc, eq, exists, not, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { installConfigs } from '#server/domains/install-configs/schema';
import { awaiting, withoutIndex } from '#server/domains/runs/index';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import type { Db } from '#server/kernel/db';

type WaitingQuery = { workspaceId: string; accountId: string; now: number; most: number };

const requiresSecondPerson = (policy: SQLiteColumn): SQL => sql`${policy} ->> '$.approval.requireSecondPerson' = 1`;

/** Plans of a Workspace that wait for a decision of an account. */
export function waitingRows(db: Db) {
  /** Condition for a plan that another person has to approve, because this account created it. */
  const isOthers = (accountId: string) =>
    and(
      eq(withoutIndex(runs.status), 'waiting_approval'),
      eq(runs.createdBy, accountId),
      exists(
        db.orm
          .select({ one: sql`1` })
          .from(capsules)
          .innerJoin(workspaces, eq(workspaces.id, capsules.workspaceId))
          .innerJoin(installConfigs, eq(installConfigs.id, capsules.installConfigId))
          .where(
            and(
              eq(capsules.id, runs.capsuleId),
              or(requiresSecondPerson(workspaces.policy), requiresSecondPerson(installConfigs.policy)),
            ),
          ),
      ),
    );
  const waiting = ({ workspaceId, accountId, now }: Omit<WaitingQuery, 'most'>) =>
    and(eq(withoutIndex(runs.workspaceId), workspaceId), awaiting(runs, now), not(isOthers(accountId) ?? sql`0`));

  return {
    /** Counts at most `most` plans. */
    countWaiting: ({ most, ...query }: WaitingQuery): number =>
      db.orm.select({ one: sql`1` }).from(runs).where(waiting(query)).limit(most).all().length,
    /** Lists the newest plans with a request for an approval. */
    listRequested: ({ most, ...query }: WaitingQuery): string[] =>
      db.orm
        .select({ id: runs.id })
        .from(runs)
        .where(and(waiting(query), sql`${runs.facts} ->> '$.approvalRequest' IS NOT NULL`))
        .orderBy(desc(withoutIndex(runs.seq)))
        .limit(most)
        .all()
        .map(({ id }) => id),
  };
}
