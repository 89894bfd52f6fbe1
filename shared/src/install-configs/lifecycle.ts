import { z } from 'zod';
import { apiVersion } from '../vendor.ts';
import type { PolicyConfig } from '../workspaces/contract.ts';
import { BuildCommand } from './source-build.ts';

export const lifecycleCapability = 'capsule.lifecycle.command.v1';

/** Time that an action may take when it names none, in seconds. */
export const lifecycleDefaultSeconds = 300;
/** Time that the release activator has for its answer when an action names none, in seconds. */
export const activatorDefaultSeconds = 30;

/** The host sets these, and reserves the whole prefix. */
const isOwnName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !name.startsWith('SVC_');
const Seconds = z.int().min(1).max(3_600);

/** One command that runs after an apply or before a destroy, as it is stored and shown; `env` is not secret. */
const LifecycleAction = z.strictObject({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('command'),
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/),
  phase: z.enum(['post_apply', 'pre_destroy']),
  cleanupFor: z.string().min(1).max(128).optional(),
  executor: z.enum(['runner', 'operator']),
  command: BuildCommand.shape.argv,
  workingDirectory: BuildCommand.shape.workingDirectory,
  env: z.record(z.string().refine(isOwnName), z.string().max(32_768)).optional(),
  timeoutSeconds: Seconds.optional(),
  runnerCapability: z.literal(lifecycleCapability).optional(),
  useProviderCredentials: z.boolean().optional(),
});
export type LifecycleAction = z.infer<typeof LifecycleAction>;

/** Actions of a configuration; they run in this order. */
export const LifecycleActions = z.array(LifecycleAction).max(20);

/** An action as a request names it: `timeout_seconds` is an alias of `timeoutSeconds`. */
export const LifecycleActionRequest = LifecycleAction.extend({ timeout_seconds: Seconds.optional() }).refine(
  (action) => action.timeoutSeconds === undefined || action.timeout_seconds === undefined,
  { path: ['timeout_seconds'] },
);
export type LifecycleActionRequest = z.infer<typeof LifecycleActionRequest>;

export type LifecyclePhase = LifecycleAction['phase'];

/** Results of an action. Only `succeeded` and `not_applicable` let the Run continue. */
export const lifecycleResults = ['succeeded', 'pending', 'skipped', 'failed', 'not_applicable'] as const;
export type LifecycleResult = (typeof lifecycleResults)[number];

/** Returns the actions of one phase, in their order. */
export const actionsOfPhase = (
  { lifecycleActions = [] }: { lifecycleActions?: readonly LifecycleAction[] | undefined },
  phase: LifecyclePhase,
): LifecycleAction[] => lifecycleActions.filter((action) => action.phase === phase);

/** Reports whether a policy allows an action; without a policy none is allowed. */
export function isActionAllowed(action: LifecycleAction, policy: PolicyConfig['lifecycleActions']): boolean {
  if (!policy?.allowedExecutors.includes(action.executor)) return false;
  if (action.useProviderCredentials && !policy.allowProviderCredentials) return false;
  const { runnerCapability = lifecycleCapability } = action;
  return action.executor === 'operator' || policy.allowedRunnerCapabilities.includes(runnerCapability);
}
