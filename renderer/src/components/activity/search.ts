import { type ActivityTarget, activityTargets } from '#shared/activity/actions';
import { isId } from '#shared/kernel/id';

/** Filters of the history, as stored in the URL. */
export type ActivitySearch = { kind?: ActivityTarget; actor?: string; capsule?: string };

const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 64) : undefined;

export const readActivitySearch = (search: Record<string, unknown>): ActivitySearch => {
  const kind = activityTargets.find((one) => one === search['kind']);
  const actor = idIn(search['actor']);
  const capsule = idIn(search['capsule']);
  return {
    ...(kind && { kind }),
    ...(actor !== undefined && { actor }),
    ...(capsule !== undefined && isId('capsule', capsule) && { capsule }),
  };
};
