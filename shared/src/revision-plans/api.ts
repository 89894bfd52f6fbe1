import { z } from 'zod';
import { nextStep } from '../install-plans/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { RevisionPlan } from './revision-plan.ts';

const capsulePath = z.strictObject({ capsuleId: z.string() });
const revisionPath = z.strictObject({ revisionPlanId: z.string() });

export const RevisionPlanAnswer = z.strictObject({ revisionPlan: RevisionPlan, ...nextStep });
export type RevisionPlanAnswer = z.infer<typeof RevisionPlanAnswer>;

export const revisionPlansApi = defineApi({
  createRevisionPlan: {
    method: 'POST',
    path: '/capsules/:capsuleId/revision-plans',
    summary: 'Start an update of a Capsule to a ref; it stops at a reviewable plan Run',
    class: 'propose',
    descriptor: 44,
    idempotency: 'required',
    params: capsulePath,
    body: z.strictObject({ ref: z.string() }),
    replies: { 200: RevisionPlanAnswer, 201: RevisionPlanAnswer },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getRevisionPlan: {
    method: 'GET',
    path: '/revision-plans/:revisionPlanId',
    summary: 'Read an update without side effects',
    class: 'R',
    descriptor: 45,
    params: revisionPath,
    replies: { 200: RevisionPlanAnswer },
  },
  reconcileRevisionPlan: {
    method: 'POST',
    path: '/revision-plans/:revisionPlanId/reconcile',
    summary: 'Advance an update by exactly one step',
    class: 'propose',
    descriptor: 46,
    params: revisionPath,
    replies: { 200: RevisionPlanAnswer, 202: RevisionPlanAnswer },
    replyHeaders: { 202: ['retry-after'] },
    errors: ['reconcile_in_progress', 'reconcile_conflict', 'runner_unavailable'],
  },
  cancelRevisionPlan: {
    method: 'POST',
    path: '/revision-plans/:revisionPlanId/cancel',
    summary: 'End an update before its plan; one that has ended stays as it is',
    class: 'propose',
    whenArchived: true,
    params: revisionPath,
    replies: { 200: RevisionPlanAnswer },
    errors: ['reconcile_in_progress'],
  },
});
