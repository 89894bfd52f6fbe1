import type { RequiredInterface } from '../interfaces/required.ts';
import type { InstallConfig } from './contract.ts';

/** A random value that the server creates once per Capsule: number of random bytes, and their encoding. */
export type GeneratedSecret = { variable: string; bytes: number; encoding: 'hex' | 'base64url' };

/** Hostname under which a service answers, with the domain that it was assigned under, or would have been. */
export type PublicHostname = {
  name: string;
  baseDomain: string;
  /** Set for a hostname that a person chose and the operator has proven. */
  isCustom?: true;
};

/**
 * Parts of a configuration besides values and policy. `generatedSecrets`, `requiredInterfaces` and `publicHostname` are never
 * returned.
 */
export type InstallParts = Partial<
  Pick<
    InstallConfig,
    | 'sourceBuild'
    | 'variablePresentation'
    | 'installExperience'
    | 'outputAllowlist'
    | 'interfaceBlueprints'
    | 'lifecycleActions'
    | 'installContextVariableMapping'
    | 'sourceSelector'
    | 'managedPublicHostname'
    | 'store'
  >
> & {
  generatedSecrets?: GeneratedSecret[];
  requiredInterfaces?: RequiredInterface[];
  publicHostname?: PublicHostname;
};
