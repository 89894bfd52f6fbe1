export type { FetchOptions, PackageFolders } from './fetch.ts';
export { type ModuleAddress, parseModuleAddress } from './module-address.ts';
export { PackageError, type PackageErrorCode } from './package-error.ts';
export type {
  FetchedPackage,
  LeftOutEntry,
  PackageCredentials,
  PackageLimits,
  Resolved,
} from './package-types.ts';
export { createPackages, type Packages } from './packages.ts';
export { defaultRegistryHost, hostOf } from './registry-address.ts';
export { gitOwnerOf, type ResolveRequest } from './resolve.ts';
