import { isTerminal } from '#shared/kernel/machine';
import type { RunStatus } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';

export const hasEnded = (status: RunStatus): boolean => isTerminal(runMachine, status);
/** Reports whether the tool may still write lines. */
export const isAtWork = (status: RunStatus): boolean => status === 'queued' || status === 'running';
