import { manifestApiVersion } from '../vendor.ts';

/** Versions of the repository manifest, oldest first. Each is a closed schema that never changes. */
export const manifestVersions = ['v1', 'v2', 'v2.1', 'v2.2', 'v2.3', 'v2.4'] as const;
export type ManifestVersion = (typeof manifestVersions)[number];
/** Versions whose structural JSON Schema is published. */
export const publishedManifestVersions = ['v2.1', 'v2.2', 'v2.3', 'v2.4'] as const;
export type PublishedManifestVersion = (typeof publishedManifestVersions)[number];
/** Supported values of `apiVersion`. */
export const manifestApiVersions = manifestVersions.map((version) => manifestApiVersion(version));
