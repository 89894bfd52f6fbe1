/** Maximum depth of containers. Real values stay below fifty; far deeper ones would exhaust the stack of readers. */
const maxDepth = 200;

/** A value of a plan or state is nested deeper than 200 containers. */
export class DepthError extends Error {}

/** Returns the depth of a value. Throws `DepthError` when it is too deep. */
export function requireDepth(depth: number): number {
  if (depth > maxDepth) throw new DepthError(`nests a value deeper than ${maxDepth} levels`);
  return depth;
}
