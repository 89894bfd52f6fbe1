import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { DirectCapsule } from '#server/domains/install-plans/index';
import { type RestoresService, requireFreeLineage } from '#server/domains/restores/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { ToolName } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { failedPrecondition } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import type { Outbox } from '#server/kernel/outbox';
import { unpackText } from '#server/kernel/packed';
import { required } from '#server/kernel/required';
import type { Capsule } from '#shared/capsules/contract';
import type { importsApi } from '#shared/imports/api';
import type { ImportedState } from '#shared/imports/contract';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { isTerminal } from '#shared/kernel/machine';
import { isSameSource } from '#shared/kernel/provider-source';
import type { Run } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import { sealContextOf } from './imported-state.ts';
import type { ImportRow, ImportsStore } from './store.ts';

export type ImportRequestPorts = {
  clock: Clock;
  outbox: Outbox;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  runs: Pick<RunsService, 'getRun'>;
  states: Pick<StateVersionsService, 'findHolder'>;
  capsules: Pick<CapsulesService, 'getCapsule'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  findTool: () => Promise<{ name: ToolName }>;
  commitCapsule: (body: DirectCapsule, actorId: string) => Capsule;
  /** Creates the restore Run, in the transaction of the caller. */
  requestRestore: RestoresService['requestState'];
};
type Deps = ImportRequestPorts & { store: ImportsStore; getRow: (id: string) => ImportRow };
type ImportBody = BodyOf<typeof importsApi.requestImport>;
type Requested = { capsule: Capsule; run: Run; isNew: boolean };

/**
 * Returns the write that creates the Capsule of an import and its restore Run, or finds them. A Run that was cancelled,
 * failed or expired is followed by another one for the same Capsule.
 */
export const createImportRequests =
  (deps: Deps) =>
  async (id: string, { body, actorId }: { body: ImportBody; actorId: string }): Promise<() => Requested> => {
    const { name: toolName } = await deps.findTool();
    return () => {
      const row = deps.getRow(id);
      const held = findHeld(row, deps);
      if (held?.run) return { capsule: held.capsule, run: held.run, isNew: false };
      if (row.state === null)
        throw failedPrecondition(
          'import_requested',
          'The Capsule of this import is destroyed, and the uploaded state is no longer stored. Upload it again.',
        );
      const { lineage } = row.summary;
      requireFreeLineage(deps.states.findHolder(lineage) ?? deps.store.findExpectedHolder(lineage), row.workspaceId);
      const capsule = held?.capsule ?? createCapsule(row, { body, actorId }, deps);
      const run = requestRun(row, { capsule, toolName, actorId }, deps);
      return { capsule, run, isNew: true };
    };
  };

/** Returns the Capsule of an import unless it is destroyed, and its Run unless that ended without giving it the state. */
function findHeld({ capsuleId, runId }: ImportRow, { capsules, runs }: Deps) {
  const capsule = capsuleId === null ? undefined : capsules.getCapsule(capsuleId);
  if (!capsule || capsule.status === 'destroyed') return undefined;
  const run = runId === null ? undefined : runs.getRun(runId);
  const isLost = run && run.status !== 'succeeded' && isTerminal(runMachine, run.status);
  return isLost && capsule.currentStateGeneration === 0 ? { capsule } : { capsule, run };
}

function createCapsule(
  { workspaceId, summary }: ImportRow,
  { body, actorId }: { body: ImportBody; actorId: string },
  { inspection, commitCapsule }: Deps,
): Capsule {
  // The commit takes its own members apart.
  const unread: Omit<ImportBody, keyof DirectCapsule> = {};
  nothingLeft(unread);
  const capsule = commitCapsule({ ...body, workspaceId }, actorId);
  const { providerPackages } = inspection.getReportRow(body.compatibilityReportId).report;
  requireProviders(summary, providerPackages);
  return capsule;
}

/** Requires that the module uses every provider of the state; otherwise the first plan could not even read it. */
function requireProviders({ providers }: ImportedState, packages: readonly { source: string }[]): void {
  const missing = providers.filter((address) => !packages.some(({ source }) => isSameSource(source, address)));
  if (missing.length === 0) return;
  throw failedPrecondition(
    'import_provider_missing',
    'The state has resources of a provider that the module does not use. Choose the state or the module that belong together.',
    { providers: missing.slice(0, 20) },
  );
}

function requestRun(
  row: ImportRow,
  { capsule, toolName, actorId }: { capsule: Capsule; toolName: ToolName; actorId: string },
  { vault, clock, store, activity, outbox, requestRestore }: Deps,
): Run {
  const { id, workspaceId, summary } = row;
  const run = requestRestore({
    requester: { workspaceId, actorId },
    capsuleId: capsule.id,
    text: unpackText(vault.open(sealContextOf(row), required(row.state, 'state of the import'))),
    toolName,
    ...(summary.toolName !== undefined && summary.toolName !== toolName && { convertedFrom: summary.toolName }),
  });
  store.update(id, { capsuleId: capsule.id, runId: run.id, updatedAt: clock.now() });
  failpoint('import.requested');
  activity.record({
    workspaceId,
    actorId,
    action: 'import.requested',
    targetType: 'import',
    targetId: id,
    runId: run.id,
    metadata: { capsuleId: capsule.id },
  });
  outbox.push({ workspaceId, kind: 'import', recordId: id });
  return run;
}
