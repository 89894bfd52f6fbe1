export { type CopyFolders, copyFoldersOf, copyIdOfFolder, copyRepository, ownPackages } from './folders.ts';
export { createPackageComparison } from './package-changes.ts';
export { createCopyMaker } from './package-maker.ts';
export { hasCommit } from './repository.ts';
export { copiesRoutes } from './routes.ts';
export { type CopiesService, createCopiesService } from './service.ts';
export { createCopiesStore } from './store.ts';
