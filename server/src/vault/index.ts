export type { SealContext } from './seal.ts';
export { openKeyFileVault, type Vault } from './vault.ts';
