import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { desc, eq, getTableColumns } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { PlanDocument } from '#shared/deploys/plan';
import { planArtifacts } from './schema.ts';

const { document: _document, ...sealColumns } = getTableColumns(planArtifacts);

/** The seal without the document, which can be large. */
export type PlanSeal = Omit<typeof planArtifacts.$inferSelect, 'document'>;
export type DeploysStore = ReturnType<typeof createDeploysStore>;

export const createDeploysStore = (db: Db) => ({
  insertArtifact: (seal: PlanSeal, document: PlanDocument): void =>
    void db.orm
      .insert(planArtifacts)
      .values({ ...seal, document: deflateRawSync(JSON.stringify(document)) })
      .run(),
  findSeal: (runId: string): PlanSeal | undefined =>
    db.orm.select(sealColumns).from(planArtifacts).where(eq(planArtifacts.runId, runId)).get(),
  findNewestSeal: (capsuleId: string): PlanSeal | undefined =>
    db.orm
      .select(sealColumns)
      .from(planArtifacts)
      .where(eq(planArtifacts.capsuleId, capsuleId))
      .orderBy(desc(planArtifacts.createdAt))
      .limit(1)
      .get(),
  findDocument(runId: string): PlanDocument | undefined {
    const row = db.orm
      .select({ document: planArtifacts.document })
      .from(planArtifacts)
      .where(eq(planArtifacts.runId, runId))
      .get();
    return row && (JSON.parse(inflateRawSync(row.document).toString()) as PlanDocument);
  },
});
