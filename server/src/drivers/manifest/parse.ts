import { isJsonObject, type Json, parseStrictJson } from '#shared/kernel/json';
import type { ManifestProblem } from '#shared/manifest/contract';
import { type ManifestVersion, manifestVersions } from '#shared/manifest/versions';
import { manifestApiVersion } from '#shared/vendor';
import { checkShape } from './check-shape.ts';
import { checkRules } from './module-rules.ts';
import { createProblems, type Report } from './problems.ts';
import { type ManifestDocument, manifestShapes } from './versions.ts';

type ParsedManifest =
  | { readonly document: ManifestDocument; readonly problems?: undefined }
  | { readonly problems: ManifestProblem[]; readonly document?: undefined };

const supportedVersions = manifestVersions.map(manifestApiVersion).join(', ');

/**
 * Parses a manifest, or returns all its problems. Takes time linear in the text and never throws. Keys are data:
 * `__proto__` has no special meaning, and nothing is copied by assignment.
 */
export function parseManifest(text: string): ParsedManifest {
  const { report, list } = createProblems();
  const document = read(text, report);
  if (document === undefined || list().length > 0) return { problems: list() };
  checkRules(document, report);
  return list().length > 0 ? { problems: list() } : { document };
}

/** Checks the shape first, because the rules rely on it. */
function read(text: string, report: Report): ManifestDocument | undefined {
  let value: Json;
  try {
    value = parseStrictJson(text, { protoKey: 'kept' });
  } catch (error) {
    report([], 'json_invalid', (error as Error).message);
    return undefined;
  }
  const version = versionOf(value);
  if (version === undefined) {
    report(
      isJsonObject(value) ? ['apiVersion'] : [],
      'version_unknown',
      `The apiVersion must be one of ${supportedVersions}.`,
    );
    return undefined;
  }
  checkShape(manifestShapes[version], value, [], report);
  return value as unknown as ManifestDocument;
}

function versionOf(value: Json): ManifestVersion | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'apiVersion')) return undefined;
  return manifestVersions.find((version) => manifestApiVersion(version) === value['apiVersion']);
}
