import { and, eq, isNotNull, ne, or, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { connections } from '#server/domains/connections/schema';
import { formResources } from '#server/domains/form-resources/schema';
import { interfaces } from '#server/domains/interfaces/schema';
import { sources } from '#server/domains/sources/schema';
import { members, projects, workspaces } from '#server/domains/workspaces/schema';
import type { Db } from '#server/kernel/db';
import {
  columnsOf,
  isMember,
  type Match,
  orderOf,
  rankOf,
  splitMatch,
  type Viewer,
  type Wanted,
} from './match-store.ts';

export function findCapsules({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, name, environment, status, updatedAt } = capsules;
  const rank = rankOf(wanted.q, id, name);
  return (
    orm
      .select({ ...columnsOf(wanted, rank, updatedAt), id, name, environment, status })
      .from(members)
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .innerJoin(capsules, eq(capsules.workspaceId, members.workspaceId))
      // A destroyed Capsule is found by its id only, because its name can be taken again.
      .where(and(isMember(viewer), isNotNull(rank), or(ne(status, 'destroyed'), eq(id, wanted.q))))
      .orderBy(...orderOf(wanted, rank, updatedAt))
      .limit(wanted.limit)
      .all()
      .map(splitMatch)
      .map(([match, row]) => ({ ...match, result: { kind: 'capsule', ...row } }))
  );
}

export function findInterfaces({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, name, type, phase, updatedAt } = interfaces;
  const rank = rankOf(wanted.q, id, name);
  return (
    orm
      .select({ ...columnsOf(wanted, rank, updatedAt), id, name, type, phase })
      .from(members)
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .innerJoin(interfaces, eq(interfaces.workspaceId, members.workspaceId))
      // A retired Interface is found by its id only, because its name can be taken again.
      .where(and(isMember(viewer), isNotNull(rank), or(ne(phase, 'Retired'), eq(id, wanted.q))))
      .orderBy(...orderOf(wanted, rank, updatedAt))
      .limit(wanted.limit)
      .all()
      .map(splitMatch)
      .map(([match, row]) => ({ ...match, result: { kind: 'interface', ...row } }))
  );
}

export function findFormResources({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, name, kind: formKind, ready, updatedAt } = formResources;
  // Also in the spelling kind/name.
  const rank = rankOf(wanted.q, id, name, formKind, sql`${formKind} || '/' || ${name}`);
  return orm
    .select({ ...columnsOf(wanted, rank, updatedAt), id, name, formKind, ready })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .innerJoin(formResources, eq(formResources.workspaceId, members.workspaceId))
    .where(and(isMember(viewer), isNotNull(rank)))
    .orderBy(...orderOf(wanted, rank, updatedAt))
    .limit(wanted.limit)
    .all()
    .map(splitMatch)
    .map(([match, row]) => ({ ...match, result: { kind: 'form_resource', ...row } }));
}

export function findSources({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, name, url, status, updatedAt } = sources;
  // Every address has a scheme, which is not searched.
  const rank = rankOf(wanted.q, id, name, sql`substr(${url}, instr(${url}, '://') + 3)`);
  return orm
    .select({ ...columnsOf(wanted, rank, updatedAt), id, name, url, status })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .innerJoin(sources, eq(sources.workspaceId, members.workspaceId))
    .where(and(isMember(viewer), isNotNull(rank)))
    .orderBy(...orderOf(wanted, rank, updatedAt))
    .limit(wanted.limit)
    .all()
    .map(splitMatch)
    .map(([match, row]) => ({ ...match, result: { kind: 'source', ...row } }));
}

export function findConnections({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, displayName, provider, status, updatedAt } = connections;
  const rank = rankOf(wanted.q, id, displayName);
  return orm
    .select({ ...columnsOf(wanted, rank, updatedAt), id, displayName, provider, status })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .innerJoin(connections, eq(connections.workspaceId, members.workspaceId))
    .where(and(isMember(viewer), isNotNull(rank)))
    .orderBy(...orderOf(wanted, rank, updatedAt))
    .limit(wanted.limit)
    .all()
    .map(splitMatch)
    .map(([match, { displayName: name, ...row }]) => ({
      ...match,
      result: { kind: 'connection', ...row, ...(name !== null && { name }) },
    }));
}

export function findProjects({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, name, slug, updatedAt } = projects;
  const rank = rankOf(wanted.q, id, name, slug);
  return orm
    .select({ ...columnsOf(wanted, rank, updatedAt), id, name, slug })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .innerJoin(projects, eq(projects.workspaceId, members.workspaceId))
    .where(and(isMember(viewer), isNotNull(rank)))
    .orderBy(...orderOf(wanted, rank, updatedAt))
    .limit(wanted.limit)
    .all()
    .map(splitMatch)
    .map(([match, row]) => ({ ...match, result: { kind: 'project', ...row } }));
}

export function findWorkspaces({ orm }: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const { id, handle, displayName, updatedAt } = workspaces;
  const rank = rankOf(wanted.q, id, displayName, handle);
  return orm
    .select({ ...columnsOf(wanted, rank, updatedAt), id, handle })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(isMember(viewer), isNotNull(rank)))
    .orderBy(...orderOf(wanted, rank, updatedAt))
    .limit(wanted.limit)
    .all()
    .map(splitMatch)
    .map(([match, row]) => ({ ...match, result: { kind: 'workspace', ...row } }));
}
