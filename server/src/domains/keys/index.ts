export { createMasterKeyManager, type MasterKeyManager } from './keeper.ts';
export type { KeyUse } from './retire.ts';
export { findInterimKey } from './retrofit.ts';
export { keysRoutes } from './routes.ts';
export { createKeysService, type KeysService } from './service.ts';
export { createKeySources, defaultKeyFile, type KeySources } from './sources.ts';
export type { KeyStep } from './steps.ts';
export { createKeysStore, type KeysStore, keyRegistryOf, type SealedColumn } from './store.ts';
export { viewVault } from './view.ts';
