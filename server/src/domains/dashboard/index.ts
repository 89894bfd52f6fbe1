export { createAttention } from './attention.ts';
export { createAttentionStore } from './attention-store.ts';
export { createOwnerWatch, type OwnerWatch } from './owner-work.ts';
export { contentSecurityPolicy, readPage } from './page.ts';
export { dashboardRoutes, installLinkRoutes } from './routes.ts';
export { createDashboardViews } from './views.ts';
export { createOwnerWorkStore } from './work-store.ts';
