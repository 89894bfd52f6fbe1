import { and, asc, eq, ne, or } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import type { Db } from '#server/kernel/db';

export type NamedCapsule = { id: string; name: string; environment: string; workspace: string };

export const createExportsStore = ({ orm }: Pick<Db, 'orm'>) => ({
  /** Lists the Capsules that are not destroyed and have an id or a name, of all Workspaces or of the one with a handle. */
  listNamed: (named: string, handle: string | undefined): NamedCapsule[] =>
    orm
      .select({
        id: capsules.id,
        name: capsules.name,
        environment: capsules.environment,
        workspace: workspaces.handle,
      })
      .from(capsules)
      .innerJoin(workspaces, eq(workspaces.id, capsules.workspaceId))
      .where(
        and(
          or(eq(capsules.id, named), eq(capsules.name, named)),
          ne(capsules.status, 'destroyed'),
          handle === undefined ? undefined : or(eq(workspaces.handle, handle), eq(workspaces.id, handle)),
        ),
      )
      .orderBy(asc(capsules.id))
      .limit(20)
      .all(),
});
