import { z } from 'zod';
import { ActivityEvent } from '../activity/contract.ts';
import { alternatives } from '../kernel/alternatives.ts';
import { id } from '../kernel/id.ts';
import { Digest } from '../kernel/scalars.ts';

/** One row of the audit trail of all Workspaces and accounts, with its position in the hash chain. */
export const AuditRecord = ActivityEvent.extend({
  workspaceId: z.string().optional(),
  seq: z.int().min(1),
  prevHash: z.string(),
  hash: z.string(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** Either a Run of a Capsule that plans, or the apply of a plan. */
export const RequestRun = z
  .strictObject({
    capsuleId: id('capsule').optional(),
    type: z.enum(['plan', 'destroy_plan', 'drift_check']).optional(),
    compatibilityReportId: id('report').optional(),
    planRunId: z.string().min(1).max(64).optional(),
    planDigest: Digest.optional(),
  })
  .superRefine(({ capsuleId, type, compatibilityReportId, planRunId, planDigest }, context) => {
    const offend = (name: string) => context.addIssue({ code: 'custom', path: [name] });
    if (planRunId !== undefined) {
      for (const [name, value] of Object.entries({ capsuleId, type, compatibilityReportId }))
        if (value !== undefined) offend(name);
      return;
    }
    if (capsuleId === undefined) offend('capsuleId');
    if (type === undefined) offend('type');
    if (planDigest !== undefined) offend('planDigest');
    if (compatibilityReportId !== undefined && type !== 'plan') offend('compatibilityReportId');
  })
  .meta(
    alternatives(
      { needs: ['capsuleId', 'type'], takes: ['compatibilityReportId'] },
      { needs: ['planRunId'], takes: ['planDigest'] },
    ),
  );
