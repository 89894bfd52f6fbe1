import type { Machine } from '../kernel/machine.ts';
import type { CapsuleStatus } from './contract.ts';

export type CapsuleEvent =
  | 'apply'
  | 'fail'
  | 'stale'
  | 'restore'
  | 'destroy'
  | 'abandon'
  | 'set_active'
  | 'set_stale'
  | 'set_error'
  | 'disable'
  | 'enable_active'
  | 'enable_stale'
  | 'enable_error';

/** Every transition of a Capsule's status. An empty row is terminal. */
export const capsuleMachine: Machine<CapsuleStatus, CapsuleEvent> = {
  pending: { apply: 'active', fail: 'error', restore: 'stale', abandon: 'destroyed' },
  active: {
    apply: 'active',
    fail: 'error',
    stale: 'stale',
    restore: 'stale',
    destroy: 'destroyed',
    set_active: 'active',
    set_stale: 'stale',
    set_error: 'error',
    disable: 'disabled',
  },
  stale: {
    apply: 'active',
    fail: 'error',
    restore: 'stale',
    destroy: 'destroyed',
    set_active: 'active',
    set_stale: 'stale',
    set_error: 'error',
    disable: 'disabled',
  },
  error: {
    apply: 'active',
    fail: 'error',
    restore: 'stale',
    destroy: 'destroyed',
    set_active: 'active',
    set_stale: 'stale',
    set_error: 'error',
    disable: 'disabled',
  },
  // Enabling returns the status it had before.
  disabled: { enable_active: 'active', enable_stale: 'stale', enable_error: 'error' },
  destroyed: {},
};
