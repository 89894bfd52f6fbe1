import { and, asc, eq, ne } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import { dependencies, dependencySnapshots } from './schema.ts';

export type DependencyRow = typeof dependencies.$inferSelect;
export type SnapshotRow = typeof dependencySnapshots.$inferSelect;
export type DependenciesStore = ReturnType<typeof createDependenciesStore>;

export function createDependenciesStore(db: Db) {
  const consumer = alias(capsules, 'consumer');
  const ordered = [asc(dependencies.createdAt), asc(dependencies.id)];
  // Every Dependency of a transitive producer whose consumer exists: a destroyed Capsule passes nothing on.
  const reaches = db.sqlite.prepare<[string, string], { found: number }>(`
    WITH RECURSIVE up(id) AS (
      SELECT ?
      UNION
      SELECT d.producer_capsule_id FROM dependencies d
      JOIN up ON d.consumer_capsule_id = up.id
      JOIN capsules c ON c.id = up.id AND c.status <> 'destroyed'
    )
    SELECT 1 AS found FROM up WHERE id = ? LIMIT 1`);
  return {
    find: (id: string): DependencyRow | undefined =>
      db.orm.select().from(dependencies).where(eq(dependencies.id, id)).get(),
    insert: (row: DependencyRow): void => void db.orm.insert(dependencies).values(row).run(),
    remove: (id: string): boolean => db.orm.delete(dependencies).where(eq(dependencies.id, id)).run().changes === 1,
    /** Dependencies of a Capsule on others, oldest first. */
    listOfConsumer: (capsuleId: string): DependencyRow[] =>
      db.orm
        .select()
        .from(dependencies)
        .where(eq(dependencies.consumerCapsuleId, capsuleId))
        .orderBy(...ordered)
        .all(),
    /** Dependencies of others on a Capsule, oldest first, without destroyed consumers. */
    listOfProducer: (capsuleId: string): DependencyRow[] =>
      db.orm
        .select({ row: dependencies })
        .from(dependencies)
        .innerJoin(consumer, eq(consumer.id, dependencies.consumerCapsuleId))
        .where(and(eq(dependencies.producerCapsuleId, capsuleId), ne(consumer.status, 'destroyed')))
        .orderBy(...ordered)
        .all()
        .map(({ row }) => row),
    /** True when a Capsule uses another one, directly or transitively. */
    reaches: (fromConsumerId: string, toProducerId: string): boolean =>
      reaches.get(fromConsumerId, toProducerId) !== undefined,
    listNodes: (workspaceId: string) =>
      db.orm
        .select({
          capsuleId: capsules.id,
          name: capsules.name,
          environment: capsules.environment,
          projectId: capsules.projectId,
          status: capsules.status,
          holdReason: capsules.holdReason,
          holdUntil: capsules.holdUntil,
          heldBy: capsules.heldBy,
          heldAt: capsules.heldAt,
        })
        .from(capsules)
        .where(and(eq(capsules.workspaceId, workspaceId), ne(capsules.status, 'destroyed')))
        .orderBy(asc(capsules.createdAt), asc(capsules.id))
        .all(),
    /** Within one Workspace, between Capsules that are not destroyed. */
    listEdges: (workspaceId: string): DependencyRow[] =>
      db.orm
        .select({ row: dependencies })
        .from(dependencies)
        .innerJoin(consumer, eq(consumer.id, dependencies.consumerCapsuleId))
        .innerJoin(capsules, eq(capsules.id, dependencies.producerCapsuleId))
        .where(
          and(
            eq(dependencies.workspaceId, workspaceId),
            eq(capsules.workspaceId, workspaceId),
            ne(consumer.status, 'destroyed'),
            ne(capsules.status, 'destroyed'),
          ),
        )
        .orderBy(...ordered)
        .all()
        .map(({ row }) => row),

    insertSnapshot: (row: SnapshotRow): void => void db.orm.insert(dependencySnapshots).values(row).run(),
    findSnapshot: (id: string): SnapshotRow | undefined =>
      db.orm.select().from(dependencySnapshots).where(eq(dependencySnapshots.id, id)).get(),
  };
}
