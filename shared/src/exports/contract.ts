import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';

/** Media type of an exported Capsule: one `ExportLine` as JSON per line. */
export const exportMediaType = 'application/octet-stream';

/**
 * A line of an exported Capsule. A file is followed by the pieces of its bytes, in order, as base64. The last line counts
 * the files; without it the answer is incomplete.
 */
export const ExportLine = z.union([
  z.strictObject({ file: z.strictObject({ path: z.string(), executable: z.boolean(), sizeBytes: Count }) }),
  z.strictObject({ data: z.string() }),
  z.strictObject({ end: z.strictObject({ files: Count }) }),
]);
export type ExportLine = z.infer<typeof ExportLine>;

/** With `withState`, the state is part of the export, in clear, and so are the files that applies have left. */
export const ExportCapsule = z.strictObject({ withState: z.boolean().optional() });
export type ExportCapsule = z.infer<typeof ExportCapsule>;

/** Use of a state: `summary` shows no sensitive value, `text` is the whole state, `output` the value of one Output. */
export const ReadState = z
  .strictObject({
    use: z.enum(['summary', 'text', 'output']),
    output: z.string().min(1).max(256).optional(),
  })
  .refine(({ use, output }) => (use === 'output') === (output !== undefined), { path: ['output'] });
export type ReadState = z.infer<typeof ReadState>;

/** The current state of a Capsule, as far as it was asked for. */
export const CurrentState = z.strictObject({
  capsuleId: z.string(),
  capsuleName: z.string(),
  stateVersionId: z.string(),
  generation: Count,
  lineage: z.string(),
  serial: Count,
  toolName: z.enum(['tofu', 'terraform']),
  toolVersion: z.string(),
  resourceCount: Count,
  partial: z.literal(true).optional(),
  createdAt: Timestamp,
  /** Addresses of the resources, in the order of the state. */
  resources: z.array(z.string()),
  /** Without the value of a sensitive Output, unless it is the one that was named. */
  outputs: z.array(z.strictObject({ name: z.string(), sensitive: z.boolean(), value: AnyJson.optional() })),
  /** The whole state in clear, for the use `text`. */
  text: z.string().optional(),
});
export type CurrentState = z.infer<typeof CurrentState>;
