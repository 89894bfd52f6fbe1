import { isId } from '#shared/kernel/id';
import { type RunStatus, type RunType, runStatuses, runTypes } from '#shared/runs/contract';

/** Filters of the list of Runs, as stored in the URL. */
export type RunsSearch = {
  q?: string;
  status?: RunStatus;
  type?: RunType;
  awaits?: 'approve' | 'apply';
  capsule?: string;
};

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

export const readRunsSearch = (search: Record<string, unknown>): RunsSearch => {
  const q = textIn(search['q']);
  const capsule = textIn(search['capsule']);
  const status = runStatuses.find((one) => one === search['status']);
  const type = runTypes.find((one) => one === search['type']);
  const awaits = (['approve', 'apply'] as const).find((one) => one === search['awaits']);
  return {
    ...(q !== undefined && { q }),
    ...(status && { status }),
    ...(type && { type }),
    ...(awaits && { awaits }),
    ...(capsule !== undefined && isId('capsule', capsule) && { capsule }),
  };
};
