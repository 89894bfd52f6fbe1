export { findInterimKey } from './encrypt-existing.ts';
export { createMasterKeyManager, type MasterKeyManager } from './master-keys.ts';
export type { KeyUse } from './retire.ts';
export { keysRoutes } from './routes.ts';
export { createKeysService, type KeysService } from './service.ts';
export { createKeySources, type KeySources } from './sources.ts';
export type { KeyStep } from './steps.ts';
export { createKeysStore, type KeysStore, keyRegistryOf, type SealedColumn } from './store.ts';
export { viewVault } from './view.ts';
