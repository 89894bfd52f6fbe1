import type { ActionSpec, ExecutionSpec, ToolIdentity } from './execution-spec.ts';

type ReviewedPlan = NonNullable<ExecutionSpec['plan']>;

/** Members of a spec that name a path, a program or the isolation of one machine. */
type PlacedMember =
  | 'runDir'
  | 'capsuleDir'
  | 'archive'
  | 'tool'
  | 'toolCopy'
  | 'sandbox'
  | 'asksPermission'
  | 'isolation'
  | 'providers'
  | 'plan'
  | 'action';

/**
 * A Run as handed to any machine. It contains secrets unencrypted, so it is never written to a disk; the machine that
 * takes it adds its own paths and programs.
 */
export type Job = Omit<ExecutionSpec, PlacedMember> & {
  /** Id of the Run; for a lifecycle action followed by a dot and its place in the list. Unique, and the name of its folder. */
  id: string;
  /** Digest of the content-addressed tar of the SourceSnapshot. */
  archiveDigest: string;
  /** Tool that the Run was checked with. */
  tool: Pick<ToolIdentity, 'name' | 'version'>;
  /** For an apply: its reviewed plan, whose files are in the folder of that Run. */
  plan: (Omit<ReviewedPlan, 'runDir'> & { runId: string }) | null;
  action?: Omit<ActionSpec, 'built'> & {
    /** Files that were built for a plan, in the folder of its Run. */
    built?: { planRunId: string; digest: string };
  };
};
