import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';

/** A block of the language in its JSON form: labels, then a body of attributes and nested blocks. */
type Block = { labels: string[]; body: JsonObject };

/** A file of one folder, in merge order. */
export type LoadedFile = { path: string; override: boolean; tofu: boolean; json: boolean; root: Json };

/** A block with the file that declares it, merged with its override files. */
export type Declared = { labels: readonly string[]; body: JsonObject; file: string };

/** A problem because of which the tool would reject a file. `message` is a sentence. */
export type Problem = { path: string; message: string };

/** A block of one kind with its location, before anything is merged. */
export type LocatedBlock = Declared & { override: boolean };

/** Returns the bodies of a value: one object, or a list whose objects count one by one. */
export function bodiesOf(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((item) => (isJsonObject(item) ? [item] : []));
  return isJsonObject(value) ? [value] : [];
}

/**
 * Returns the blocks of one type in a body. At each level of labels JSON syntax allows an object or a list of objects.
 */
export function blocksOf(body: JsonObject, type: string, labelCount: number): Block[] {
  return unwrapLabels(attribute(body, type), labelCount);
}

function unwrapLabels(value: Json | undefined, labelCount: number): Block[] {
  if (labelCount === 0) return bodiesOf(value).map((body) => ({ labels: [], body }));
  return bodiesOf(value).flatMap((level) =>
    Object.entries(level).flatMap(([label, inner]) =>
      unwrapLabels(inner, labelCount - 1).map((block) => ({ labels: [label, ...block.labels], body: block.body })),
    ),
  );
}

/** Returns the value of an attribute, or undefined when the body does not set it. */
export const attribute = (body: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(body, name) ? body[name] : undefined;
