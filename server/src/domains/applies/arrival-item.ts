import { warningItem } from '#server/domains/runs/index';
import { readState } from '#server/drivers/tofu/index';
import { isoTime } from '#server/kernel/clock';
import type { FeedItem } from '#shared/runs/feed';
import { lastStateCode } from '#shared/runs/orphans';

/** Says which state a lost apply was ended with: the newest one that arrived, or the one from before it. */
export function arrivalItem(
  now: number,
  arrivedAt: number | undefined,
  { text, generation }: { text: string; generation: number },
): FeedItem {
  const { resourceCount } = readState(text);
  const resources = resourceCount === 1 ? '1 resource' : `${resourceCount} resources`;
  const message =
    arrivedAt === undefined
      ? `No state of this apply arrived. The state from before it, with ${resources}, is generation ${generation} now.`
      : `The last state that arrived is of ${isoTime(Math.round(arrivedAt))}, with ${resources}. It is generation ${generation} now.`;
  return warningItem(now, lastStateCode, message);
}
