import type { Capsule } from '#shared/capsules/contract';

/** True when a Capsule can still be planned. */
export const isLiving = ({ status }: Capsule): boolean => status !== 'destroyed' && status !== 'disabled';
/** True when a Capsule can be planned and has resources that can be compared and destroyed. */
export const isApplied = (capsule: Capsule): boolean =>
  isLiving(capsule) && capsule.currentStateVersionId !== undefined;
