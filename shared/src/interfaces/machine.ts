import type { Machine } from '../kernel/machine.ts';

export const interfacePhases = ['Pending', 'Resolved', 'NotReady', 'Unknown', 'Terminating', 'Retired'] as const;
export type InterfacePhase = (typeof interfacePhases)[number];

export type InterfaceEvent =
  /** All inputs have a value and the owner is live. */
  | 'resolve'
  /** A value is missing or may not be shown, or the owner is not live. */
  | 'refuse'
  /** The values could not be read. */
  | 'lose'
  /** The spec or a value that it references has changed, or the destroy of the owner ended without success. */
  | 'change'
  /** The destroy of the owner was queued. */
  | 'terminate'
  | 'retire';

const live = {
  refuse: 'NotReady',
  lose: 'Unknown',
  change: 'Pending',
  terminate: 'Terminating',
  retire: 'Retired',
} as const;

/** Every transition of an Interface. */
export const interfaceMachine: Machine<InterfacePhase, InterfaceEvent> = {
  Pending: { ...live, resolve: 'Resolved' },
  Resolved: live,
  NotReady: { ...live, resolve: 'Resolved' },
  Unknown: { ...live, resolve: 'Resolved' },
  Terminating: { change: 'Pending', retire: 'Retired' },
  Retired: {},
};

export const bindingPhases = ['Pending', 'Ready', 'NotReady', 'Revoked'] as const;
export type BindingPhase = (typeof bindingPhases)[number];

export type BindingEvent = 'allow' | 'refuse' | 'revoke';

/** Every transition of an InterfaceBinding. */
export const bindingMachine: Machine<BindingPhase, BindingEvent> = {
  Pending: { allow: 'Ready', refuse: 'NotReady', revoke: 'Revoked' },
  Ready: { allow: 'Ready', refuse: 'NotReady', revoke: 'Revoked' },
  NotReady: { allow: 'Ready', refuse: 'NotReady', revoke: 'Revoked' },
  Revoked: {},
};
