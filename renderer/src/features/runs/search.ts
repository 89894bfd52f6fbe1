import { isId } from '#shared/kernel/id';
import { type ChangeKind, changeKinds } from '#shared/plans/change';
import { type OpenRows, readOpenRows } from '../../components/plan/plan-address.ts';

const runTabs = ['plan', 'resources', 'code', 'log', 'compare'] as const;
export type RunTab = (typeof runTabs)[number];
/**
 * View of a Run's page, as stored in the URL: the tab, the plan that its plan is compared with, and of its plan the
 * search, filter and opened rows.
 */
export type RunSearch = { tab?: RunTab; with?: string; q?: string; kinds?: string; open?: OpenRows };

const mostQuery = 200;

const isKind = (name: string): name is ChangeKind => (changeKinds as readonly string[]).includes(name);

export const readRunSearch = (search: Record<string, unknown>): RunSearch => {
  const { q, kinds, with: other } = search;
  const tab = runTabs.find((one) => one === search['tab']);
  const known = typeof kinds === 'string' ? kinds.split(',').filter(isKind) : [];
  const open = readOpenRows(search['open']);
  return {
    ...(tab && { tab }),
    ...(tab === 'compare' && typeof other === 'string' && isId('plan', other) && { with: other }),
    ...(typeof q === 'string' && q !== '' && { q: q.slice(0, mostQuery) }),
    ...(known.length > 0 && { kinds: known.join(',') }),
    ...(open !== undefined && { open }),
  };
};
