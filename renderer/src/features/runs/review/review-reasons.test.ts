import { describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { reviewReasons } from './review-reasons.ts';

const plan = (over: Partial<Run> = {}) => ({ awaits: 'approve', type: 'plan', policyStatus: 'pass', ...over }) as const;
const held = (of: 'Workspace' | 'InstallConfig', policy: PolicyConfig) => ({ of, policy });
const summary = { add: 0, change: 0, destroy: 1 };
const confirm = { destructiveChanges: { requireExplicitConfirmation: true } };
const second = { approval: { requireSecondPerson: true } };

describe('the reasons of a review', () => {
  it('name the policy and the record that holds it', () => {
    const reasons = reviewReasons(plan({ summary, policyStatus: 'warn' }), [
      held('Workspace', confirm),
      held('InstallConfig', second),
    ]);
    expect(reasons).toEqual([
      { text: 'run.review.why.destructive' },
      { text: 'run.review.why.policy', rule: 'workspace.policy.destroy', of: 'Workspace' },
      { text: 'run.review.why.policy', rule: 'workspace.policy.second', of: 'InstallConfig' },
    ]);
  });

  it('name no policy that does not concern the plan', () => {
    const calm = plan({ summary: { ...summary, destroy: 0 }, policyStatus: 'warn' });
    expect(reviewReasons(calm, [held('Workspace', confirm)])).toEqual([{ text: 'run.review.why.lock' }]);
    expect(reviewReasons(plan({ type: 'destroy_plan' }), [])).toEqual([{ text: 'run.review.why.destroy' }]);
  });

  it('are none for a plan that is approved', () => {
    expect(reviewReasons({ ...plan({ summary }), awaits: 'apply' }, [held('Workspace', second)])).toEqual([]);
  });
});
