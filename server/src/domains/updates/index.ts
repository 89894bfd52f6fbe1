export { type AutoUpdates, createAutoUpdates } from './service.ts';
export { createUpdatesStore } from './store.ts';
