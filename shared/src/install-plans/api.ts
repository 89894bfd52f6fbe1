import { z } from 'zod';
import { ConfigurationPlanAnswer, PlanConfiguration } from '../configuration-plans/api.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { VariableName } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';
import { ReAdopt, ReAdoptionAnswer } from '../re-adoptions/api.ts';
import { CreateRevisionPlan, RevisionPlanAnswer } from '../revision-plans/revision-plan.ts';
import {
  InitialConfiguration,
  InstallCapsule,
  InstallOptions,
  InstallPlan,
  InstallPreflight,
  InstallSource,
  installPhases,
  nextStep,
} from './contract.ts';

const capsulePath = z.strictObject({ capsuleId: z.string() });
const revisionPath = z.strictObject({ revisionPlanId: z.string() });
const planPath = z.strictObject({ installPlanId: z.string() });

export const InstallPlanAnswer = z.strictObject({ installPlan: InstallPlan, ...nextStep });
export type InstallPlanAnswer = z.infer<typeof InstallPlanAnswer>;

export const CreateInstallPlan = z.strictObject({
  source: InstallSource,
  capsule: InstallCapsule,
  options: InstallOptions.optional(),
  preflight: InstallPreflight.optional(),
  variables: z.record(VariableName, AnyJson).optional(),
  secretVariables: z.array(VariableName).max(256).optional(),
  initialConfiguration: InitialConfiguration.optional(),
});
export type CreateInstallPlan = z.infer<typeof CreateInstallPlan>;

export const coordinatorsApi = defineApi({
  createInstallPlan: {
    method: 'POST',
    path: '/workspaces/:workspaceId/install-plans',
    summary: 'Start an installation from Git; it stops at a reviewable plan Run',
    class: 'propose',
    descriptor: 47,
    idempotency: 'required',
    params: z.strictObject({ workspaceId: z.string() }),
    body: CreateInstallPlan,
    replies: { 200: InstallPlanAnswer, 201: InstallPlanAnswer },
    errors: [
      'invalid_argument',
      'failed_precondition',
      'idempotency_conflict',
      'connection_not_found',
      'repository_install_ux_invalid',
      'repository_install_ux_stale',
    ],
  },
  listInstallPlans: {
    method: 'GET',
    path: '/workspaces/:workspaceId/install-plans',
    summary: 'Installations of a Workspace, newest first',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery.extend({ phase: z.enum(installPhases).optional() }),
    replies: { 200: z.strictObject({ installPlans: z.array(InstallPlan), nextCursor: z.string().optional() }) },
  },
  getInstallPlan: {
    method: 'GET',
    path: '/install-plans/:installPlanId',
    summary: 'Read an installation without side effects',
    class: 'R',
    descriptor: 48,
    params: planPath,
    replies: { 200: InstallPlanAnswer },
  },
  reconcileInstallPlan: {
    method: 'POST',
    path: '/install-plans/:installPlanId/reconcile',
    summary: 'Advance an installation by exactly one step',
    class: 'propose',
    descriptor: 49,
    params: planPath,
    replies: { 200: InstallPlanAnswer, 202: InstallPlanAnswer },
    replyHeaders: { 202: ['retry-after'] },
    errors: ['reconcile_in_progress', 'reconcile_conflict', 'runner_unavailable'],
  },
  cancelInstallPlan: {
    method: 'POST',
    path: '/install-plans/:installPlanId/cancel',
    summary: 'End an installation before its plan; one that has ended stays as it is',
    class: 'propose',
    whenArchived: true,
    params: planPath,
    replies: { 200: InstallPlanAnswer },
    errors: ['reconcile_in_progress'],
  },
  planConfiguration: {
    method: 'POST',
    path: '/capsules/:capsuleId/configuration-plans',
    summary: 'Change the variables and provider bindings of a Capsule; it stops at a reviewable plan Run',
    class: 'W',
    descriptor: 39,
    idempotency: 'required',
    params: z.strictObject({ capsuleId: z.string() }),
    body: PlanConfiguration,
    maxBodyBytes: limits.configurationRequestBytes,
    replies: { 200: ConfigurationPlanAnswer, 201: ConfigurationPlanAnswer },
    errors: ['invalid_argument', 'failed_precondition', 'runner_unavailable', 'feature_unavailable'],
  },
  reAdopt: {
    method: 'POST',
    path: '/capsules/:capsuleId/install-config-re-adoptions',
    summary: 'Move a Capsule to a new version of its configuration that names another snapshot; nothing is run',
    class: 'W',
    descriptor: 43,
    idempotency: 'required',
    keyFailsAs: 'invalid_request',
    failsAs: 'invalid_token',
    params: capsulePath,
    body: ReAdopt,
    replies: { 200: ReAdoptionAnswer },
    errors: ['failed_precondition', 'repository_install_ux_invalid', 'repository_install_ux_stale'],
  },
  createRevisionPlan: {
    method: 'POST',
    path: '/capsules/:capsuleId/revision-plans',
    summary: 'Start an update of a Capsule to a ref; it stops at a reviewable plan Run',
    class: 'propose',
    descriptor: 44,
    idempotency: 'required',
    params: capsulePath,
    body: CreateRevisionPlan,
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
