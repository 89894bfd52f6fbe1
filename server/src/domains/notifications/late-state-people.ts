import { endedByOf, type RunRecord } from '#server/domains/runs/index';
import type { NotificationsStore } from './store.ts';

/** Lists the accounts that a late state of an apply concerns: those who decide about it, and the one that ended the apply. */
export function listConcerned(store: Pick<NotificationsStore, 'listDeciders'>, run: RunRecord): string[] {
  const endedBy = endedByOf(run);
  return [...new Set([...store.listDeciders(run.workspaceId), ...(endedBy === undefined ? [] : [endedBy])])];
}
