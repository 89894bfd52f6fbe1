import { z } from 'zod';
import { CapsuleHold, capsuleStatuses } from '../capsules/contract.ts';
import { DriftMark } from '../drift/mark.ts';
import { id } from '../kernel/id.ts';
import { Timestamp, VariableName } from '../kernel/scalars.ts';
import { linkLimits } from '../limits.ts';
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

/** A variable has one value, so two Outputs may not map to the same variable. */
const Mapping = z
  .record(z.string().min(1).max(128), MappedOutput.extend({ required: z.boolean().default(true) }))
  .refine((outputs) => Object.keys(outputs).length <= linkLimits.outputs)
  .refine((outputs) => {
    const targets = Object.values(outputs).map(({ to }) => to);
    return new Set(targets).size === targets.length;
  }, 'Two Outputs go into the same variable.');

/** A new Dependency of a Capsule that the request names otherwise. */
export const DependencyInput = z.strictObject({
  producerCapsuleId: id('capsule'),
  mode: z.enum(dependencyModes).optional(),
  outputs: Mapping,
});
export type DependencyInput = z.infer<typeof DependencyInput>;

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
      projectId: z.string(),
      status: z.enum(capsuleStatuses),
      hold: CapsuleHold.nullable(),
      drift: DriftMark.nullable(),
    }),
  ),
  edges: z.array(Dependency.pick({ id: true, producerCapsuleId: true, consumerCapsuleId: true, outputs: true })),
});
export type CapsuleGraph = z.infer<typeof CapsuleGraph>;
