export { type ActionsEnd, createLifecycle, type Lifecycle } from './service.ts';
export { createLifecycleStore, type LifecycleStore } from './store.ts';
