import type { Json, JsonObject } from '#shared/kernel/json';
import type { PlanDocument } from '#shared/plans/document';
import { digestMember, isSensitiveMark, replaceParts } from '#shared/plans/marks';

/** Returns the digest in a mark; undefined for a plan of an earlier version. */
export function digestIn(mark: JsonObject): string | undefined {
  const digest = mark[digestMember];
  return typeof digest === 'string' ? digest : undefined;
}

/** Returns the document without the digests of its marks, and these in reading order. */
export function takeDigests(document: PlanDocument): { document: PlanDocument; digests: string[] } {
  const digests: string[] = [];
  const shown = mapMarks(document, (mark) => {
    const { [digestMember]: _taken, ...rest } = mark;
    digests.push(digestIn(mark) ?? '');
    return rest;
  });
  const drift = document.drift.map((resource) => mapSides(resource, withoutDigest));
  return { document: { ...shown, drift }, digests };
}

/** Returns the document with the digests in its marks again. */
export function restoreDigests(document: PlanDocument, digests: readonly string[]): PlanDocument {
  if (digests.length === 0) return document;
  let index = 0;
  return mapMarks(document, (mark) => {
    const digest = digests[index++];
    return digest === undefined || digest === '' ? mark : { ...mark, [digestMember]: digest };
  });
}

/** Returns a value without the digests of its marks. */
export const withoutDigests = (value: Json): Json => mapValue(value, withoutDigest);

const withoutDigest = ({ [digestMember]: _digest, ...rest }: JsonObject): JsonObject => rest;

type MapMark = (mark: JsonObject) => JsonObject;

const mapMarks = (document: PlanDocument, map: MapMark): PlanDocument => ({
  ...document,
  resources: document.resources.map((resource) => mapSides(resource, map)),
  outputs: document.outputs.map((output) => mapSides(output, map)),
});

const mapSides = <T extends { before: Json; after: Json }>(change: T, map: MapMark): T => ({
  ...change,
  before: mapValue(change.before, map),
  after: mapValue(change.after, map),
});

const mapValue = (value: Json, map: MapMark): Json =>
  replaceParts(value, (part) => (isSensitiveMark(part) ? map(part) : undefined));
