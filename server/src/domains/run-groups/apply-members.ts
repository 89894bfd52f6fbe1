import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import type { ServerTool } from '#server/domains/execution/index';
import { auditItem, type RunRecord, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import { isApplyType } from '#shared/runs/contract';
import { requireEach } from './member-refusals.ts';

type Deps = {
  clock: Clock;
  runs: RunsService;
  applies: Pick<AppliesService, 'apply'>;
  activity: Pick<ActivityService, 'record'>;
};
export type ApplyInput = { actorId: string; tool: ServerTool; planDigests: Readonly<Record<string, string>> };

/**
 * Queues the applies of the named plans, in layer order: an apply starts after those of earlier layers. Throws one
 * error that names each refused plan, and 404 for a Run outside the group; the caller's transaction then keeps nothing.
 * Returns how many applies were created: none for plans that are applied already.
 */
export function applyMembers(runGroupId: string, input: ApplyInput, { runs, applies }: Deps): number {
  const { planDigests, ...rest } = input;
  const members = runs.store.listGroup(runGroupId);
  const plans = members.filter(({ id, type }) => !isApplyType(type) && Object.hasOwn(planDigests, id));
  if (plans.length < Object.keys(planDigests).length) throw notFound('Run in this group');
  const queued: { layer: number; id: string }[] = [];
  const layers = new Map(plans.map(({ id, groupLayer }) => [id, groupLayer ?? 0]));
  let created = 0;
  requireEach([...layers.keys()], (id) => {
    const layer = layers.get(id) ?? 0;
    const waitsFor = queued.filter((earlier) => earlier.layer < layer).map((earlier) => earlier.id);
    const group = { runGroupId, groupLayer: layer, waitsFor };
    const applied = applies.apply(id, { ...rest, planDigest: planDigests[id], group });
    queued.push({ layer, id: applied.run.id });
    if (applied.isNew) created += 1;
  });
  return created;
}

/** Cancels the applies of a group that have not started, in the transaction in which one of them fails. */
export function cancelRest(failed: RunRecord, { runs, clock, activity }: Deps): void {
  if (failed.runGroupId === null || failed.status !== 'failed' || !isApplyType(failed.type)) return;
  const message = `The apply of "${failed.capsuleName}" failed, so this apply did not start. Correct it, then plan again.`;
  for (const { id, type, status, workspaceId, capsuleId } of runs.store.listGroup(failed.runGroupId)) {
    if (!isApplyType(type) || status !== 'queued') continue;
    const at = clock.now();
    const diagnostic = { severity: 'error', code: 'group_apply_failed', message };
    const data = { failedRunId: failed.id };
    const items = [
      { kind: 'diagnostic' as const, at, payload: diagnostic },
      auditItem('apply.cancelled', at, { message, data }),
    ];
    runs.move(id, 'cancel', { items });
    const metadata = { ...data, ...(capsuleId !== null && { capsuleId }) };
    activity.record({ workspaceId, action: 'run.cancelled', targetType: 'run', targetId: id, runId: id, metadata });
  }
}
