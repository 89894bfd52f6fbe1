export { createGcScheduler, type GcScheduler } from './scheduler.ts';
export { createGcStore, type GcStore } from './store.ts';
export { createSweep, type Sweep, type Swept } from './sweep.ts';
export { type GcFolders, gcFoldersOf } from './sweep-parts.ts';
