import type { Machine } from '../kernel/machine.ts';

export const machineStates = ['active', 'draining', 'revoked'] as const;
export type MachineState = (typeof machineStates)[number];
export type MachineEvent = 'drain' | 'resume' | 'revoke';

/**
 * Every transition of a runner machine. A draining machine finishes its Runs and claims no others; a revoked one must be
 * enrolled again.
 */
export const runnerMachineStates: Machine<MachineState, MachineEvent> = {
  active: { drain: 'draining', revoke: 'revoked' },
  draining: { resume: 'active', revoke: 'revoked' },
  revoked: {},
};
