import { z } from 'zod';
import { capsuleStatuses } from '../capsules/contract.ts';
import { Timestamp, VariableName } from '../kernel/scalars.ts';
import { OutputName } from '../output-shares/contract.ts';
import { OutputType } from '../state-versions/contract.ts';

/**
 * Mode in which a Capsule receives data of another one. `variable_injection` sets a variable from an Output.
 * `published_output` does the same from public Outputs only. `remote_state` writes the other Capsule's state beside the
 * module and sets a variable to its path.
 */
export const dependencyModes = ['variable_injection', 'remote_state', 'published_output'] as const;
export type DependencyMode = (typeof dependencyModes)[number];
export const dependencyVisibilities = ['workspace', 'cross_workspace'] as const;

/** One mapped value: from an Output of the producer to a variable of the consumer. */
export const MappedOutput = z.strictObject({
  from: OutputName,
  to: VariableName,
  /** False: without a value the variable keeps its configured value or the module's default. */
  required: z.boolean(),
  type: OutputType.optional(),
});
export type MappedOutput = z.infer<typeof MappedOutput>;

export const Dependency = z.strictObject({
  id: z.string(),
  /** Variable of the consumer. */
  workspaceId: z.string(),
  producerCapsuleId: z.string(),
  consumerCapsuleId: z.string(),
  mode: z.enum(dependencyModes),
  outputs: z.record(z.string(), MappedOutput),
  visibility: z.enum(dependencyVisibilities),
  createdAt: Timestamp,
});
export type Dependency = z.infer<typeof Dependency>;

/** Capsules of a Workspace that are not destroyed, and the Dependencies between them. */
export const CapsuleGraph = z.strictObject({
  nodes: z.array(
    z.strictObject({
      capsuleId: z.string(),
      name: z.string(),
      environment: z.string(),
      status: z.enum(capsuleStatuses),
    }),
  ),
  edges: z.array(Dependency.pick({ id: true, producerCapsuleId: true, consumerCapsuleId: true, outputs: true })),
});
export type CapsuleGraph = z.infer<typeof CapsuleGraph>;
