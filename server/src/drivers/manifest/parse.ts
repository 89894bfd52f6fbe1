import { isJsonObject, type Json, parseStrictJson } from '#shared/kernel/json';
import type { ManifestProblem } from '#shared/manifest/contract';
import { type ManifestVersion, manifestVersions } from '#shared/manifest/versions';
import { manifestApiVersion } from '#shared/vendor';
import { checkShape } from './check-shape.ts';
import { checkRules } from './module-rules.ts';
import { createProblems, type Tell } from './problems.ts';
import { type ManifestDocument, manifestShapes } from './versions.ts';

export type ParsedManifest =
  | { readonly document: ManifestDocument; readonly problems?: undefined }
  | { readonly problems: ManifestProblem[]; readonly document?: undefined };

const words = manifestVersions.map(manifestApiVersion).join(', ');

/**
 * A manifest from its text, or everything that is wrong with it (Manifest 2). Takes time linear in the text and never
 * throws. Keys are data: `__proto__` is one like any other, and nothing is copied by assignment.
 */
export function parseManifest(text: string): ParsedManifest {
  const { tell, list } = createProblems();
  const document = read(text, tell);
  if (document === undefined || list().length > 0) return { problems: list() };
  checkRules(document, tell);
  return list().length > 0 ? { problems: list() } : { document };
}

/** Shape first: the rules rely on it. */
function read(text: string, tell: Tell): ManifestDocument | undefined {
  let value: Json;
  try {
    value = parseStrictJson(text, { protoKey: 'kept' });
  } catch (error) {
    tell([], 'json_invalid', (error as Error).message);
    return undefined;
  }
  const version = versionOf(value);
  if (version === undefined) {
    tell(isJsonObject(value) ? ['apiVersion'] : [], 'version_unknown', `The apiVersion must be one of ${words}.`);
    return undefined;
  }
  checkShape(manifestShapes[version], value, [], tell);
  return value as unknown as ManifestDocument;
}

function versionOf(value: Json): ManifestVersion | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'apiVersion')) return undefined;
  return manifestVersions.find((version) => manifestApiVersion(version) === value['apiVersion']);
}
