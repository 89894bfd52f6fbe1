import type { InstallConfig } from './contract.ts';

/** A random value that the server makes once for each Capsule: so many random bytes, spelled so. */
export type GeneratedSecret = { variable: string; bytes: number; encoding: 'hex' | 'base64url' };

/** An Interface of the Workspace that the Capsule uses; it is looked for after the plan. */
export type RequiredInterface = {
  key: string;
  type: string;
  version: string;
  permissions: readonly string[];
  deliveryType: string;
};

/** What a configuration says besides values and policy. `generatedSecrets` and `requiredInterfaces` are never shown. */
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
