import type { InstallConfig } from './contract.ts';

/** A random value that the server creates once per Capsule: number of random bytes, and their encoding. */
export type GeneratedSecret = { variable: string; bytes: number; encoding: 'hex' | 'base64url' };

/** An Interface of the Workspace that the Capsule uses; it is resolved after the plan. */
export type RequiredInterface = {
  key: string;
  type: string;
  version: string;
  permissions: readonly string[];
  deliveryType: string;
};

/**
 * Parts of a configuration besides values and policy. `generatedSecrets` and `requiredInterfaces` are never returned.
 */
export type InstallParts = Partial<
  Pick<
    InstallConfig,
    | 'sourceBuild'
    | 'variablePresentation'
    | 'installExperience'
    | 'outputAllowlist'
    | 'interfaceBlueprints'
    | 'installContextVariableMapping'
    | 'sourceSelector'
    | 'managedPublicHostname'
    | 'store'
  >
> & {
  generatedSecrets?: GeneratedSecret[];
  requiredInterfaces?: RequiredInterface[];
};
