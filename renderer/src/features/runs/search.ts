import { isId } from '#shared/kernel/id';

const runTabs = ['plan', 'resources', 'code', 'log', 'compare'] as const;
export type RunTab = (typeof runTabs)[number];
/** Selected tab of a Run's page, and the plan that its plan is compared with, as stored in the URL. */
export type RunSearch = { tab?: RunTab; with?: string };

export const readRunSearch = (search: Record<string, unknown>): RunSearch => {
  const tab = runTabs.find((one) => one === search['tab']);
  const other = search['with'];
  return {
    ...(tab && { tab }),
    ...(tab === 'compare' && typeof other === 'string' && isId('plan', other) && { with: other }),
  };
};
