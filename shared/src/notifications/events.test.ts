import { expect, it } from 'vitest';
import { eventOfAction, eventOfMove, notificationEvents, stateRestored } from './events.ts';

const run = (type: 'plan' | 'apply' | 'drift_check' | 'source_sync', status: 'succeeded' | 'failed', more = {}) => ({
  type,
  status,
  createdBy: 'sub_ada',
  facts: {},
  ...more,
});

it.each([
  ['a plan with changes waits', run('plan', 'succeeded', { facts: { hasChanges: true } }), 'run.waiting'],
  ['a plan without changes succeeded', run('plan', 'succeeded', { facts: { hasChanges: false } }), 'run.succeeded'],
  ['a plan of an automatic update is silent', run('plan', 'succeeded', { createdBy: 'system' }), undefined],
  ['an apply succeeded', run('apply', 'succeeded'), 'run.succeeded'],
  ['a drift check is an event of its Capsule', run('drift_check', 'succeeded'), undefined],
  ['a drift check that fails is reported', run('drift_check', 'failed'), 'run.failed'],
  ['a sync is silent', run('source_sync', 'failed'), undefined],
])('%s', (_, moved, event) => {
  expect(eventOfMove(moved, 'running')).toBe(event);
});

it('does not report the approval of a plan as its end', () => {
  expect(eventOfMove(run('plan', 'succeeded', { facts: { hasChanges: true } }), 'waiting_approval')).toBeUndefined();
});

it('derives at most one event from an action', () => {
  const actions = Object.values(notificationEvents).flatMap(({ from }): readonly string[] =>
    'actions' in from ? from.actions : [],
  );
  expect(new Set(actions).size).toBe(actions.length);
  expect(eventOfAction('capsule.stale', { reason: 'source_ref_changed' })).toBe('capsule.update_available');
  expect(eventOfAction('capsule.stale', { reason: stateRestored })).toBeUndefined();
  expect(eventOfAction('capsule.note_changed')).toBeUndefined();
});
