import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import { installConfigs } from './schema.ts';

export type ConfigRow = typeof installConfigs.$inferSelect;

type ConfigsQuery = {
  workspaceId: string;
  view: 'all' | 'store';
  limit: number;
  after: { createdAt: number; id: string };
};

const hasPart = (part: 'store' | 'sourceSelector') =>
  sql`json_extract(${installConfigs.parts}, ${`$.${part}`}) IS NOT NULL`;

/** A row of the chain of a Capsule's configurations, with its values as stored text. */
export type ConfigVersionRow = {
  id: string;
  workspaceId: string | null;
  variables: string;
  secrets: Buffer | null;
  previousId: string | null;
  createdAt: number;
};

export type InstallConfigsStore = ReturnType<typeof createInstallConfigsStore>;

export const createInstallConfigsStore = (db: Db) => ({
  ...hostnameRows(db),
  findVersion: (id: string): ConfigVersionRow | undefined =>
    db.orm
      .select({
        id: installConfigs.id,
        workspaceId: installConfigs.workspaceId,
        variables: sql<string>`${installConfigs.variableMapping}`,
        secrets: installConfigs.secrets,
        previousId: sql<
          string | null
        >`CASE WHEN json_valid(${installConfigs.provenance}) THEN ${installConfigs.provenance} ->> '$.receipt.previousInstallConfigId' END`,
        createdAt: installConfigs.createdAt,
      })
      .from(installConfigs)
      .where(eq(installConfigs.id, id))
      .get(),
  findConfig: (id: string): ConfigRow | undefined =>
    db.orm.select().from(installConfigs).where(eq(installConfigs.id, id)).get(),
  insertConfig: (row: ConfigRow): boolean =>
    db.orm.insert(installConfigs).values(row).onConflictDoNothing().run().changes === 1,
  /** Compares and sets one row that does not belong to a Capsule; returns 1, or 0 when no row has that id and digest. */
  replaceConfig: (
    { id, digest }: Pick<ConfigRow, 'id' | 'digest'>,
    set: Pick<ConfigRow, 'variableMapping' | 'parts' | 'policy' | 'allOutputs' | 'digest' | 'updatedAt'>,
  ): number =>
    db.orm
      .update(installConfigs)
      .set(set)
      .where(and(eq(installConfigs.id, id), eq(installConfigs.digest, digest), eq(installConfigs.derived, false)))
      .run().changes,
  /** Returns their number. */
  deleteConfigs: (ids: readonly string[]): number =>
    db.orm
      .delete(installConfigs)
      .where(inArray(installConfigs.id, [...ids]))
      .run().changes,
  /** Lists the operator's rows that name a repository: the shared ones, and those for the Workspace. */
  listBases: (workspaceId: string | undefined): ConfigRow[] =>
    db.orm
      .select()
      .from(installConfigs)
      .where(
        and(
          or(
            isNull(installConfigs.workspaceId),
            workspaceId === undefined ? undefined : eq(installConfigs.workspaceId, workspaceId),
          ),
          eq(installConfigs.derived, false),
          hasPart('sourceSelector'),
        ),
      )
      .all(),
  /** Shared rows and rows of the Workspace itself, without those derived for one Capsule. */
  listConfigs({ workspaceId, view, limit, after: { createdAt, id } }: ConfigsQuery): ConfigRow[] {
    const visible = or(isNull(installConfigs.workspaceId), eq(installConfigs.workspaceId, workspaceId));
    const later = or(
      gt(installConfigs.createdAt, createdAt),
      and(eq(installConfigs.createdAt, createdAt), gt(installConfigs.id, id)),
    );
    return db.orm
      .select()
      .from(installConfigs)
      .where(and(visible, eq(installConfigs.derived, false), view === 'store' ? hasPart('store') : undefined, later))
      .orderBy(asc(installConfigs.createdAt), asc(installConfigs.id))
      .limit(limit)
      .all();
  },
});

const hostnameRows = (db: Db) => ({
  /** Returns the Capsule that is not destroyed and whose configuration has a hostname. */
  findHostnameHolder: (hostname: string): string | undefined =>
    db.orm
      .select({ id: capsules.id })
      .from(capsules)
      .innerJoin(installConfigs, eq(installConfigs.id, capsules.installConfigId))
      .where(
        and(
          ne(capsules.status, 'destroyed'),
          sql`json_extract(${installConfigs.parts}, '$.publicHostname.name') = ${hostname}`,
        ),
      )
      .get()?.id,
});
