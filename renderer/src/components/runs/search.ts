import { isId } from '#shared/kernel/id';
import { type RunTrigger, runTriggers } from '#shared/runs/changes';
import { type RunStatus, type RunType, runStatuses, runTypes } from '#shared/runs/contract';

/** Filters of the list of Runs, as stored in the URL. */
export type RunsSearch = {
  q?: string;
  status?: RunStatus;
  type?: RunType;
  awaits?: 'approve' | 'apply';
  capsule?: string;
  /** Account, `system` or `operator`. */
  by?: string;
  /** Start of a commit id. */
  commit?: string;
  trigger?: RunTrigger;
};

/** Names of the filters that a Capsule's page has too. */
export const runFilterNames = ['q', 'status', 'type', 'awaits', 'by', 'commit', 'trigger'] as const;

export const isCommitPrefix = (text: string): boolean => /^[0-9a-fA-F]{4,64}$/.test(text);

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

export const readRunsSearch = (search: Record<string, unknown>): RunsSearch => {
  const q = textIn(search['q']);
  const capsule = textIn(search['capsule']);
  const by = textIn(search['by']);
  // A commit of digits only reaches this as a number.
  const commit = textIn(typeof search['commit'] === 'number' ? String(search['commit']) : search['commit']);
  const status = runStatuses.find((one) => one === search['status']);
  const type = runTypes.find((one) => one === search['type']);
  const awaits = (['approve', 'apply'] as const).find((one) => one === search['awaits']);
  const trigger = runTriggers.find((one) => one === search['trigger']);
  return {
    ...(q !== undefined && { q }),
    ...(status && { status }),
    ...(type && { type }),
    ...(awaits && { awaits }),
    ...(capsule !== undefined && isId('capsule', capsule) && { capsule }),
    ...(by !== undefined && by.length <= 128 && { by }),
    ...(commit !== undefined && isCommitPrefix(commit) && { commit }),
    ...(trigger && { trigger }),
  };
};

/** Filters of the address as the server's list takes them. */
export const filterOf = ({ capsule, by, ...filter }: RunsSearch) => ({
  ...filter,
  ...(capsule !== undefined && { capsuleId: capsule }),
  ...(by !== undefined && { createdBy: by }),
});
