import type { JsonPath, Report } from './problems.ts';

/** Reports each entry whose text in a field appeared in an earlier entry. Entries without the field do not count. */
export function reportRepeated<Field extends string>(
  entries: readonly { readonly [K in Field]?: string }[],
  { path, field }: { path: JsonPath; field: Field },
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const value = entry[field];
    if (value === undefined) continue;
    if (seen.has(value)) report([...path, index, field], 'not_unique', `Another entry has the same ${field}.`);
    seen.add(value);
  }
}
