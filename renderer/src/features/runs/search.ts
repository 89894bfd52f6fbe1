import { isId } from '#shared/kernel/id';
import { type RunStatus, type RunType, runStatuses, runTypes } from '#shared/runs/contract';

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

const runTabs = ['plan', 'resources', 'log', 'compare'] as const;
export type RunTab = (typeof runTabs)[number];
/** Selected tab of a Run's page, and the plan that its plan is compared with, as stored in the URL. */
export type RunSearch = { tab?: RunTab; with?: string };

export const readRunSearch = (search: Record<string, unknown>): RunSearch => {
  const tab = runTabs.find((one) => one === search['tab']);
  const other = textIn(search['with']);
  return {
    ...(tab && { tab }),
    ...(tab === 'compare' && other !== undefined && isId('plan', other) && { with: other }),
  };
};

/** Filters of the list of Runs, as stored in the URL. */
export type RunsSearch = {
  q?: string;
  status?: RunStatus;
  type?: RunType;
  awaits?: 'approve' | 'apply';
  capsule?: string;
};

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
