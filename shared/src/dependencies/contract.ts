import { z } from 'zod';
import { capsuleStatuses } from '../capsules/contract.ts';
import { Timestamp, VariableName } from '../kernel/scalars.ts';
import { OutputName } from '../output-shares/contract.ts';
import { OutputType } from '../state-versions/contract.ts';

/**
 * How a Capsule gets what another one has made: `variable_injection` puts an Output into a variable, `published_output`
 * the same from public Outputs alone, `remote_state` lays the other's state beside the module and puts its path there.
 */
export const dependencyModes = ['variable_injection', 'remote_state', 'published_output'] as const;
export type DependencyMode = (typeof dependencyModes)[number];
export const dependencyVisibilities = ['workspace', 'cross_workspace'] as const;

/** One value that goes over: from an Output of the producer into a variable of the consumer. */
export const MappedOutput = z.strictObject({
  from: OutputName,
  to: VariableName,
  /** False: without a value the variable keeps the one of the configuration or the module's default. */
  required: z.boolean(),
  type: OutputType.optional(),
});
export type MappedOutput = z.infer<typeof MappedOutput>;

export const Dependency = z.strictObject({
  id: z.string(),
  /** Of the consumer. */
  workspaceId: z.string(),
  producerCapsuleId: z.string(),
  consumerCapsuleId: z.string(),
  mode: z.enum(dependencyModes),
  outputs: z.record(z.string(), MappedOutput),
  visibility: z.enum(dependencyVisibilities),
  createdAt: Timestamp,
});
export type Dependency = z.infer<typeof Dependency>;

/** The Capsules of a Workspace that are not destroyed, and what goes from one to the other. */
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
