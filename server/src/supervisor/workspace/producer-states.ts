import path from 'node:path';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import type { Layout } from '../../runner/contract/layout.ts';

/** Returns the path of another Capsule's state as the tool sees it: the same in every Run, because plans contain it. */
const pathOf = ({ seen }: Layout, capsuleId: string): string => path.posix.join(seen.states, `${capsuleId}.tfstate`);

/** Returns the spec with the paths of those states in their variables. */
export function withStatePaths<J extends ExecutionSpec>(spec: J, layout: Layout): J {
  const statePaths = (spec.producerStates ?? []).map(({ variable, capsuleId }) => [
    variable,
    pathOf(layout, capsuleId),
  ]);
  return statePaths.length === 0
    ? spec
    : { ...spec, variables: { ...spec.variables, ...Object.fromEntries(statePaths) } };
}

/**
 * Returns each state once, however many variables name it. The file is read-only, and in memory on machines with an
 * in-memory file system.
 */
export const stateFilesOf = ({ producerStates = [] }: ExecutionSpec, layout: Layout) =>
  [...new Map(producerStates.map(({ capsuleId, text }) => [capsuleId, text]))].map(([capsuleId, text]) => ({
    path: pathOf(layout, capsuleId),
    envName: undefined,
    mode: 0o400,
    bytes: Buffer.from(text, 'utf8'),
  }));
