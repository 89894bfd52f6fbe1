import type { PlansStore } from '#server/domains/plans/index';
import { type ApplyRun, failureItem, type RunsService } from '#server/domains/runs/index';
import { readState, type State } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import { isLedgerFault } from '#server/kernel/db';
import { createRedactor } from '#server/runner/index';
import type { PlanResource } from '#shared/plans/document';
import type { FeedItem } from '#shared/runs/feed';
import type { ApplyEnd } from './apply-end.ts';
import { findOrphans, livingIn, orphanItems, type ResourceReport, unfinishedIn } from './orphans.ts';

const feedPage = 5_000;
const namedUnfinished = 100;

type Deps = {
  clock: Clock;
  store: Pick<PlansStore, 'findDocument'>;
  runs: Pick<RunsService, 'feed'>;
  secretsOf: (run: ApplyRun) => string[];
};

/** Finds what an apply may have left behind. */
export function createLeftovers({ clock, store, runs, secretsOf }: Deps) {
  /** Resources that may exist without being in any state, and unfinished operations. */
  function leftovers(
    run: ApplyRun,
    end: ApplyEnd,
    { before, after }: { before: string | undefined; after: string },
  ): FeedItem[] {
    const now = clock.now();
    const reported = listReported(run.id);
    const redact = createRedactor(secretsOf(run)).address;
    const stateIn = (one: string | undefined): State | undefined => (one === undefined ? undefined : readState(one));
    const orphans = findOrphans({
      planned: plannedBy(run),
      reported,
      before: livingIn(stateIn(before), redact),
      after: livingIn(stateIn(after), redact),
      isContinuous: end.isContinuous,
    });
    const unfinished = unfinishedIn(reported).slice(0, namedUnfinished).join(', ');
    const open =
      unfinished === '' ? [] : [failureItem(now, end.errorCode, `Started and not reported as finished: ${unfinished}`)];
    return [...open, ...orphanItems(orphans, now)];
  }

  /** An apply ends also when the document of its plan is damaged: its state is committed, and what it reported is compared. */
  function plannedBy({ planRunId }: ApplyRun): readonly PlanResource[] {
    try {
      return store.findDocument(planRunId)?.resources ?? [];
    } catch (error) {
      if (isLedgerFault(error)) throw error;
      return [];
    }
  }

  /** All resource events of the feed, in order. */
  function listReported(runId: string): ResourceReport[] {
    const reported: ResourceReport[] = [];
    for (let after = 0; ; ) {
      const items = runs.feed.listKind(runId, 'resource', { after, limit: feedPage });
      for (const { payload } of items) if (payload['state'] !== 'progress') reported.push(payload as ResourceReport);
      after = items.at(-1)?.seq ?? after;
      if (items.length < feedPage) return reported;
    }
  }

  return leftovers;
}
