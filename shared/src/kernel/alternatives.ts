import type { z } from 'zod';

/** One way to fill an object: members that it requires, and members that only this way accepts. */
type Alternative = { readonly needs: readonly string[]; readonly takes?: readonly string[] };

/**
 * Returns the JSON Schema of an object that is filled in exactly one of several ways: each requires its members and
 * refuses those of the others.
 */
export function alternatives(...ways: readonly Alternative[]) {
  const membersOf = ({ needs, takes = [] }: Alternative) => [...needs, ...takes];
  const refusedBy = (way: Alternative) => ways.flatMap(membersOf).filter((name) => !membersOf(way).includes(name));
  return {
    oneOf: ways.map((way) => ({
      required: way.needs,
      properties: Object.fromEntries(refusedBy(way).map((name) => [name, false])),
    })),
  };
}

/** An object with exactly one of the named members; refused at `path` otherwise. */
export const withExactlyOne = <S extends z.ZodObject>(
  schema: S,
  names: readonly (keyof S['shape'] & string)[],
  path: string[] = [],
) =>
  schema
    .refine((value) => names.filter((name) => (value as Record<string, unknown>)[name] !== undefined).length === 1, {
      path,
    })
    .meta(alternatives(...names.map((name) => ({ needs: [name] }))));
