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
  /** Relative to the root of the Source, which it is when absent. */
  workingDirectory: Folder.optional(),
});
export type BuildCommand = z.infer<typeof BuildCommand>;

/**
 * What is run in a copy of the snapshot before each plan, and which of its files come into the module's tree (API 2.9,
 * bounds of Manifest 2.8). Never a shell text, no environment and no credentials.
 */
export const SourceBuild = z.strictObject({
  commands: z.array(BuildCommand).min(1).max(most.buildCommands),
  outputs: z.array(Produced).min(1).max(most.buildOutputs),
});
export type SourceBuild = z.infer<typeof SourceBuild>;
