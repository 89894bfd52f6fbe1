import { and, asc, eq, gt, isNull, ne } from 'drizzle-orm';
import { isAfter } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import type { MachineState } from '#shared/runner-pools/machine';
import { runnerEnrolments, runnerMachines, runnerPools } from './schema.ts';

export type MachineRow = typeof runnerMachines.$inferSelect;
export type EnrolmentRow = typeof runnerEnrolments.$inferSelect;
/** A machine with the name of its pool. */
export type NamedMachine = MachineRow & { poolName: string };

export type MachinesStore = ReturnType<typeof createMachinesStore>;

export const createMachinesStore = (db: Db) => ({ ...machineRows(db), ...enrolmentRows(db) });

function machineRows(db: Db) {
  const named = () =>
    db.orm
      .select({ machine: runnerMachines, poolName: runnerPools.name })
      .from(runnerMachines)
      .innerJoin(runnerPools, eq(runnerPools.id, runnerMachines.poolId));
  const flat = ({ machine, poolName }: { machine: MachineRow; poolName: string }): NamedMachine => ({
    ...machine,
    poolName,
  });
  return {
    insertMachine: (row: MachineRow): void => void db.orm.insert(runnerMachines).values(row).run(),
    findMachine(id: string): NamedMachine | undefined {
      const row = named().where(eq(runnerMachines.id, id)).get();
      return row && flat(row);
    },
    findMachineByKey: (publicKey: string): MachineRow | undefined =>
      db.orm.select().from(runnerMachines).where(eq(runnerMachines.publicKey, publicKey)).get(),
    /** Lists machines, oldest first; of one pool, or of all. */
    listMachines: (poolId: string | undefined, after: Created, limit: number): NamedMachine[] =>
      named()
        .where(
          and(
            poolId === undefined ? undefined : eq(runnerMachines.poolId, poolId),
            isAfter([runnerMachines.enrolledAt, runnerMachines.id], [after.createdAt, after.id]),
          ),
        )
        .orderBy(asc(runnerMachines.enrolledAt), asc(runnerMachines.id))
        .limit(limit)
        .all()
        .map(flat),
    listAll: (): MachineRow[] => db.orm.select().from(runnerMachines).orderBy(asc(runnerMachines.id)).all(),
    /** Lists the machines of all pools that are not revoked. */
    listUnrevoked: (): string[] =>
      db.orm
        .select({ id: runnerMachines.id })
        .from(runnerMachines)
        .where(ne(runnerMachines.state, 'revoked'))
        .all()
        .map(({ id }) => id),
    /** Changes a machine only if its state is still the one that the caller saw. */
    moveMachine: (id: string, from: MachineState, set: Partial<MachineRow>): boolean =>
      db.orm
        .update(runnerMachines)
        .set(set)
        .where(and(eq(runnerMachines.id, id), eq(runnerMachines.state, from)))
        .run().changes === 1,
  };
}

const enrolmentRows = (db: Db) => ({
  insertEnrolment: (row: EnrolmentRow): void => void db.orm.insert(runnerEnrolments).values(row).run(),
  findEnrolment: (id: string): EnrolmentRow | undefined =>
    db.orm.select().from(runnerEnrolments).where(eq(runnerEnrolments.id, id)).get(),
  listEnrolments: (poolId: string, after: Created, limit: number): EnrolmentRow[] =>
    db.orm
      .select()
      .from(runnerEnrolments)
      .where(
        and(
          eq(runnerEnrolments.poolId, poolId),
          isAfter([runnerEnrolments.createdAt, runnerEnrolments.id], [after.createdAt, after.id]),
        ),
      )
      .orderBy(asc(runnerEnrolments.createdAt), asc(runnerEnrolments.id))
      .limit(limit)
      .all(),
  /** Changes an enrolment only while it can be used. */
  takeEnrolment: (id: string, now: number, set: Partial<EnrolmentRow>): boolean =>
    db.orm
      .update(runnerEnrolments)
      .set(set)
      .where(
        and(
          eq(runnerEnrolments.id, id),
          isNull(runnerEnrolments.usedAt),
          isNull(runnerEnrolments.cancelledAt),
          gt(runnerEnrolments.expiresAt, now),
        ),
      )
      .run().changes === 1,
  /** Lists the enrolments that can be used; of one pool, or of all. */
  listOpenEnrolments: (poolId: string | undefined, now: number): EnrolmentRow[] =>
    db.orm
      .select()
      .from(runnerEnrolments)
      .where(
        and(
          poolId === undefined ? undefined : eq(runnerEnrolments.poolId, poolId),
          isNull(runnerEnrolments.usedAt),
          isNull(runnerEnrolments.cancelledAt),
          gt(runnerEnrolments.expiresAt, now),
        ),
      )
      .all(),
});
