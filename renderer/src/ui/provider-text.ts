import { visibleText } from './visible-text.ts';

const publicRegistries = /^registry\.(?:opentofu|terraform)\.(?:org|io)\//;

/** A provider's address as people say it: without the registry that everybody uses. */
export const shortSource = (source: string): string => source.replace(publicRegistries, '');

/** One configuration of a provider as the module names it: `aws`, or `aws.west` for an alias. */
export const tupleName = (localName: string, alias: string | undefined): string =>
  visibleText(alias === undefined ? localName : `${localName}.${alias}`);
