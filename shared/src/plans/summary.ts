import { z } from 'zod';
import { Count } from '../kernel/scalars.ts';
import { planActions } from './change.ts';

/** Totals of a plan as the tool counts: a replace adds and destroys, and data sources do not count. */
export const PlanSummary = z.strictObject({
  add: Count,
  change: Count,
  destroy: Count,
  import: Count.optional(),
  forget: Count.optional(),
});
export type PlanSummary = z.infer<typeof PlanSummary>;

export const PlanAction = z.enum(planActions);

/** One change of a plan, as the Run carries it. */
export const PlanResourceRef = z.strictObject({ address: z.string(), type: z.string(), actions: z.array(PlanAction) });
export type PlanResourceRef = z.infer<typeof PlanResourceRef>;
