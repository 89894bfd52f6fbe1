export { type Caretaker, createCaretaker } from './caretaker.ts';
export { type CareStore, createCareStore } from './store.ts';
export { createSweep, type Sweep, type Swept } from './sweep.ts';
export { type CareFolders, careFoldersOf } from './sweep-parts.ts';
