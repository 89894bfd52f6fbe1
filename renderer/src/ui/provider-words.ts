const publicRegistries = /^registry\.(?:opentofu|terraform)\.(?:org|io)\//;

/** A provider's address as people say it: without the registry that everybody uses. */
export const shortSource = (source: string): string => source.replace(publicRegistries, '');
