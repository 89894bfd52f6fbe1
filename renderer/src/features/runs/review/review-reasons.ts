import type { Run } from '#shared/runs/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';
import type { TextId } from '../../../i18n/text.ts';
import { endangered } from './endangered.ts';

/** A policy by the record that holds it. */
export type HeldPolicy = { of: 'Workspace' | 'InstallConfig'; policy: PolicyConfig };
/** Reason why a plan needs approval; `rule` and `of` name the policy that requires it. */
type ReviewReason = { text: TextId; rule?: TextId; of?: string };

type Reviewed = Pick<Run, 'awaits' | 'type' | 'policyStatus' | 'planResources' | 'summary'>;

export const requiresSecondPerson = (policies: readonly HeldPolicy[]): boolean =>
  policies.some(({ policy }) => policy.approval?.requireSecondPerson === true);

/** Lists why a plan waits for approval; empty for a plan that does not. */
export function reviewReasons(run: Reviewed, policies: readonly HeldPolicy[]): ReviewReason[] {
  if (run.awaits !== 'approve') return [];
  const isDestructive = endangered(run).count > 0;
  const byPolicy = (rule: TextId, isRequired: (policy: PolicyConfig) => boolean): ReviewReason[] =>
    policies
      .filter(({ policy }) => isRequired(policy))
      .map(({ of }) => ({ text: 'run.review.why.policy', rule, of }) as const);
  const confirm = isDestructive
    ? byPolicy('workspace.policy.destroy', (policy) => policy.destructiveChanges?.requireExplicitConfirmation === true)
    : [];
  return [
    ...(isDestructive ? [{ text: 'run.review.why.destructive' } as const] : []),
    ...(!isDestructive && run.type === 'destroy_plan' ? [{ text: 'run.review.why.destroy' } as const] : []),
    ...confirm,
    // Without such a policy, only changed providers make the verdict a warning.
    ...(run.policyStatus === 'warn' && confirm.length === 0 ? [{ text: 'run.review.why.lock' } as const] : []),
    ...byPolicy('workspace.policy.second', (policy) => policy.approval?.requireSecondPerson === true),
  ];
}
