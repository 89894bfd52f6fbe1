import type { ProviderPackage } from '#shared/sources/module-scan';
import { visibleText } from './visible-text.ts';

const publicRegistries = /^registry\.(?:opentofu|terraform)\.(?:org|io)\//;

/** Returns a provider's address in its common form, without the default registry. */
export const shortSource = (source: string): string => source.replace(publicRegistries, '');

/** `hashicorp/aws ~> 5.0`: a provider with the versions that the module accepts. */
export const providerText = ({ source, version }: ProviderPackage): string =>
  visibleText(`${shortSource(source)}${version === undefined ? '' : ` ${version}`}`);

/** One configuration of a provider as the module names it: `aws`, or `aws.west` for an alias. */
export const tupleName = (localName: string, alias: string | undefined): string =>
  visibleText(alias === undefined ? localName : `${localName}.${alias}`);
