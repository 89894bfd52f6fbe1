import { isSameSource } from '../kernel/provider-source.ts';
import type { PolicyConfig } from './contract.ts';

/** Policy lists that name block types. */
export type TypeList = 'allowedResourceTypes' | 'allowedDataSourceTypes' | 'allowedProvisionerTypes';

/** Reports whether every policy allows a type: an absent list allows all, an empty one none. */
export const allowsType = (policies: readonly PolicyConfig[], list: TypeList, type: string): boolean =>
  policies.every((policy) => policy[list]?.includes(type) ?? true);

/** As `allowsType`, for the address of a provider; a policy may omit the public registry and `hashicorp`. */
export const allowsProvider = (policies: readonly PolicyConfig[], source: string): boolean =>
  policies.every(({ allowedProviders }) => allowedProviders?.some((name) => isSameSource(name, source)) ?? true);
