import { z } from 'zod';
import { manifestLimits as most } from '../limits.ts';
import { isBelowRoot, isRelativePath } from '../relative-path.ts';
import { isBuildArgument } from './build-rules.ts';

const Argument = z
  .string()
  .min(1)
  .max(2 * most.argLength)
  .refine(isBuildArgument, `An argument is 1 to ${most.argLength} characters without NUL.`);
const Folder = z
  .string()
  .min(1)
  .max(2 * most.pathLength)
  .refine(isRelativePath, 'It is . or a path below the Source with single / between names, without . or .. segments.');
const Produced = z
  .string()
  .min(1)
  .max(2 * most.pathLength)
  .refine(isBelowRoot, 'It is a path below the Source with single / between names, without . or .. segments.');

export const BuildCommand = z.strictObject({
  argv: z.array(Argument).min(1).max(most.argv),
  /** Relative to the root of the Source; default is the root. */
  workingDirectory: Folder.optional(),
});
export type BuildCommand = z.infer<typeof BuildCommand>;

/**
 * Commands that are run in a copy of the snapshot before each plan, and the output files that are copied into the
 * module's tree. Never a shell text; without environment and credentials.
 */
export const SourceBuild = z.strictObject({
  commands: z.array(BuildCommand).min(1).max(most.buildCommands),
  outputs: z.array(Produced).min(1).max(most.buildOutputs),
});
export type SourceBuild = z.infer<typeof SourceBuild>;
