/** ETag of the version of an Interface. A change of it sends the tag of the version that was read. */
export const interfaceTag = ({
  generation,
  resolvedRevision,
}: {
  generation: number;
  resolvedRevision: number;
}): string => `"if-${generation}-${resolvedRevision}"`;
