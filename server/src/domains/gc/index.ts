export { createDeleteRuns } from './delete-runs.ts';
export { createGcHold, type GcHold } from './hold.ts';
export { listRetainedArchives } from './retained-archives.ts';
export { createGcScheduler } from './scheduler.ts';
export { createGcStore, type GcStore } from './store.ts';
export { createSweep } from './sweep.ts';
export { type GcFolders, gcFoldersOf } from './sweep-parts.ts';
export { openTrash, type Trash } from './trash.ts';
