import { jsonDigest } from '#server/kernel/digest';
import type { PlanSeal } from './store.ts';

/** Values that the plan is bound to; an apply is refused when any of them differs. */
export const planDigestOf = (
  seal: Omit<PlanSeal, 'addresses' | 'createdAt' | 'lock' | 'requirementsDigest'>,
  pinned: { commit: string; epoch: number },
): string =>
  jsonDigest([
    seal.planFileDigest,
    pinned.commit,
    seal.lockDigest,
    seal.configDigest,
    pinned.epoch,
    seal.stateLineage,
    seal.stateSerial,
    seal.toolName,
    seal.toolVersion,
    // Without a build the list has the length of earlier versions, so that their digests stay the same.
    ...(seal.builtDigest === null ? [] : [seal.builtDigest]),
  ]);
