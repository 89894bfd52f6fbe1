export { createAutoUpdates } from './service.ts';
export { createUpdatesStore } from './store.ts';
