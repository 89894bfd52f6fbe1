import { requireFreeLineage } from '#server/domains/restores/index';
import type { RunsService } from '#server/domains/runs/index';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import { packText } from '#server/kernel/packed';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { required } from '#server/kernel/required';
import type { importsApi } from '#shared/imports/api';
import type { Import } from '#shared/imports/contract';
import { limits } from '#shared/limits';
import { sealContextOf } from './imported-state.ts';
import { readUpload, type Upload } from './read-upload.ts';
import { createImportRequests, type ImportRequestPorts } from './request.ts';
import { createImportsStore, type ImportRow, type ImportsStore } from './store.ts';

export type ImportsService = ReturnType<typeof createImportsService>;

type Deps = ImportRequestPorts & { db: Db; cursors: Cursors; runs: Pick<RunsService, 'onMoving'> };

const expiryMs = limits.abandonedPlanDays * 24 * 3_600_000;

/** Returns the record of an import. */
export const importOf = (row: ImportRow): Import => ({
  id: row.id,
  workspaceId: row.workspaceId,
  phase: row.capsuleId === null ? 'uploaded' : 'requested',
  state: row.summary,
  ...(row.capsuleId !== null && { capsuleId: row.capsuleId }),
  ...(row.runId !== null && { runId: row.runId }),
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
  ...(row.capsuleId === null && { expiresAt: isoTime(row.updatedAt + expiryMs) }),
});

/** The states that are moved in: uploads, and the Capsules that get them. */
export function createImportsService(deps: Deps) {
  const { db, cursors, activity } = deps;
  const store = createImportsStore(db);

  function getRow(id: string): ImportRow {
    const row = store.find(id);
    if (!row) throw notFound('import');
    return row;
  }

  // The StateVersion of the Capsule holds the state from then on.
  deps.runs.onMoving(({ id, type, status }) => {
    if (type === 'restore' && status === 'succeeded') store.deleteStates(id);
  });

  function recordDeletion(row: ImportRow, actorId: string | undefined): void {
    const { id: targetId, workspaceId } = row;
    activity.record({ workspaceId, actorId, action: 'import.deleted', targetType: 'import', targetId });
    deps.outbox.push({ workspaceId, kind: 'import', recordId: targetId });
  }

  return {
    readUpload,
    store: createUpload(deps, store),
    request: createImportRequests({ ...deps, store, getRow }),
    getImport: (id: string): Import => importOf(getRow(id)),
    findWorkspace: store.findWorkspace,

    listImports(
      workspaceId: string,
      query: ListQueryOf<typeof importsApi.listImports>,
    ): { imports: Import[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `imports:${workspaceId}`,
        fetch: (after, limit) => store.listPage(workspaceId, beforeSeq(after), limit),
        positionOf: ({ seq }) => [seq],
      });
      return { imports: rows.map(importOf), ...next };
    },

    /** Deletes an upload with its sealed state. Throws 409 `import_requested` when a Capsule has it. */
    delete(id: string, actorId: string): void {
      db.write(() => {
        const row = getRow(id);
        if (!store.deleteUnused(id))
          throw failedPrecondition(
            'import_requested',
            'A Capsule was created from this import. Cancel its restore Run or delete the Capsule instead.',
          );
        recordDeletion(row, actorId);
      });
    },

    /** Queries by which unused uploads are deleted after some days. */
    expiring: {
      findOldestStep: store.findOldestUnused,
      listUntouchedSince: store.listUnusedSince,
      expire(id: string): void {
        const row = getRow(id);
        if (store.deleteUnused(id)) recordDeletion(row, undefined);
      },
    },
  };
}

/**
 * Returns the write that seals an uploaded state. The same bytes again find their import. Throws 409
 * `import_lineage_taken` when a Capsule already manages these resources.
 */
function createUpload({ db, clock, outbox, vault, activity, states }: Deps, store: ImportsStore) {
  return (
    { text, summary }: Upload,
    { workspaceId, actorId }: { workspaceId: string; actorId: string },
  ): { import: Import; isNew: boolean } =>
    db.write(() => {
      const existing = store.findByDigest(workspaceId, summary.digest);
      if (existing) return { import: importOf(existing), isNew: false };
      requireFreeLineage(states.findHolder(summary.lineage), workspaceId);
      const now = clock.now();
      const id = newId('import');
      store.insert({
        id,
        workspaceId,
        digest: summary.digest,
        summary,
        state: vault.seal(sealContextOf({ id, workspaceId }), packText(text)),
        capsuleId: null,
        runId: null,
        createdBy: actorId,
        createdAt: now,
        updatedAt: now,
      });
      failpoint('import.stored');
      activity.record({ workspaceId, actorId, action: 'import.created', targetType: 'import', targetId: id });
      outbox.push({ workspaceId, kind: 'import', recordId: id });
      return { import: importOf(required(store.find(id), 'import')), isNew: true };
    });
}
