import path from 'node:path';
import type { Job } from '../../runner/contract/job.ts';
import type { Layout } from '../../runner/contract/layout.ts';

/** Where the state of another Capsule lies as the tool sees it: the same in every Run, because its path stands in plans. */
const pathOf = ({ seen }: Layout, capsuleId: string): string => path.posix.join(seen.states, `${capsuleId}.tfstate`);

/** The Job with the paths of those states in the variables that ask for them. */
export function withStatePaths<J extends Job>(job: J, layout: Layout): J {
  const statePaths = (job.producerStates ?? []).map(({ variable, capsuleId }) => [variable, pathOf(layout, capsuleId)]);
  return statePaths.length === 0 ? job : { ...job, variables: { ...job.variables, ...Object.fromEntries(statePaths) } };
}

/** Each state once, however many variables name it. It is read-only and never on a disk where there is memory for it. */
export const stateFilesOf = ({ producerStates = [] }: Job, layout: Layout) =>
  [...new Map(producerStates.map(({ capsuleId, text }) => [capsuleId, text]))].map(([capsuleId, text]) => ({
    path: pathOf(layout, capsuleId),
    envName: undefined,
    mode: 0o400,
    bytes: Buffer.from(text, 'utf8'),
  }));
