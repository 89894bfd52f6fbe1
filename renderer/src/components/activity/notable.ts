import type { ActivityEvent } from '#shared/activity/contract';

/**
 * Reports whether a row is shown without a filter. Steps of an installation are hidden between their results; the
 * filter by kind shows them.
 */
export const isNotable = ({ action }: ActivityEvent): boolean => !action.endsWith('_plan.advanced');
