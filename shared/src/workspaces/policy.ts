import { isSameSource } from '../kernel/provider-source.ts';
import type { PolicyConfig } from './contract.ts';

/** The lists of a policy that name types of blocks. */
export type TypeList = 'allowedResourceTypes' | 'allowedDataSourceTypes' | 'allowedProvisionerTypes';

/** Every policy has to allow it: an absent list allows all, an empty one none (shapes §11.2). */
export const allowsType = (policies: readonly PolicyConfig[], list: TypeList, type: string): boolean =>
  policies.every((policy) => policy[list]?.includes(type) ?? true);

/** As `allowsType`, for the address of a provider; a policy may leave out the public registry and `hashicorp`. */
export const allowsProvider = (policies: readonly PolicyConfig[], source: string): boolean =>
  policies.every(({ allowedProviders }) => allowedProviders?.some((name) => isSameSource(name, source)) ?? true);
