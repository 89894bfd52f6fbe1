import type { RequiredInterface } from '../interfaces/required.ts';
import type { InstallConfig } from './contract.ts';

/** A random value that the server creates once per Capsule: number of random bytes, and their encoding. */
export type GeneratedSecret = { variable: string; bytes: number; encoding: 'hex' | 'base64url' };

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
