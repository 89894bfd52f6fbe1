import type { ActivityService } from '#server/domains/activity/index';
import { ArchiveError } from '#server/drivers/archive/index';
import { failedPrecondition } from '#server/kernel/errors';
import type { ExportCapsule, ExportLine } from '#shared/exports/contract';
import { exportFiles } from './export-files.ts';
import { type ExportPorts, planExport } from './export-plan.ts';
import { createStateReads, neverApplied, type StateReadPorts } from './state-reads.ts';
import { createExportsStore } from './store.ts';

export type ExportsService = ReturnType<typeof createExportsService>;

type Deps = ExportPorts & StateReadPorts & { activity: Pick<ActivityService, 'record'> };

/** Bytes of one piece of a file; a multiple of three, so that only the last piece has padding. */
const pieceBytes = 786_432;

/** Data that leaves the installation: folders that OpenTofu continues with, and states in clear. */
export function createExportsService(deps: Deps) {
  const { db, activity, states } = deps;
  return {
    readState: createStateReads(deps),
    listNamed: createExportsStore(db).listNamed,

    /**
     * Records an export in the audit trail, and returns its lines. Throws 409 when the Capsule has no state to export, or
     * its module does not exist any more.
     */
    export(capsuleId: string, { withState = false }: ExportCapsule, actorId: string): AsyncGenerator<ExportLine> {
      return db.write(() => {
        const plan = planExport(capsuleId, deps);
        const { head, capsule, module } = plan;
        if (withState && !head) throw neverApplied();
        const state = withState && head ? states.openVersion(head.id) : undefined;
        activity.record({
          workspaceId: capsule.workspaceId,
          actorId,
          action: 'capsule.exported',
          targetType: 'capsule',
          targetId: capsuleId,
          metadata: { withState, resolvedCommit: module.commit, ...(withState && head && { stateVersionId: head.id }) },
        });
        return linesOf(exportFiles(plan, state));
      });
    },
  };
}

async function* linesOf(files: ReturnType<typeof exportFiles>): AsyncGenerator<ExportLine> {
  let count = 0;
  try {
    for await (const { path, executable, bytes } of files) {
      yield { file: { path, executable, sizeBytes: bytes.length } };
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield { data: Buffer.from(bytes.subarray(at, at + pieceBytes)).toString('base64') };
      count += 1;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw failedPrecondition('state_version_snapshot_missing', error.message);
  }
  yield { end: { files: count } };
}
