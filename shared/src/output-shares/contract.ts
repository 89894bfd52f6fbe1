import { z } from 'zod';
import { Timestamp } from '../kernel/scalars.ts';
import { OutputType } from '../state-versions/contract.ts';
import { shareStatuses } from './machine.ts';

/** Name of an Output: an identifier of the tool's language. */
export const OutputName = z
  .string()
  .max(128)
  .regex(/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u);

export const SharedOutput = z.strictObject({
  name: OutputName,
  /** Name in the other Workspace; default `name`. */
  alias: OutputName.optional(),
  type: OutputType.optional(),
  sensitive: z.boolean(),
});
export type SharedOutput = z.infer<typeof SharedOutput>;

/** Outputs of a Capsule that another Workspace may use. It contains no value. */
export const OutputShare = z.strictObject({
  id: z.string(),
  fromWorkspaceId: z.string(),
  toWorkspaceId: z.string(),
  producerCapsuleId: z.string(),
  outputs: z.array(SharedOutput),
  status: z.enum(shareStatuses),
  createdAt: Timestamp,
  acceptedAt: Timestamp.optional(),
  revokedAt: Timestamp.optional(),
});
export type OutputShare = z.infer<typeof OutputShare>;

/** Name under which the other Workspace sees a shared Output. */
export const seenName = ({ name, alias }: { name: string; alias?: string | undefined }): string => alias ?? name;
