import { z } from 'zod';
import { toolNames } from '../execution/tool.ts';

/** The tool and the providers that made the current state of a Capsule. */
export const Toolchain = z.strictObject({
  planRunId: z.string(),
  toolName: z.enum(toolNames),
  toolVersion: z.string(),
  providers: z.array(
    z.strictObject({
      /** `host/namespace/type`. */
      address: z.string(),
      version: z.string(),
    }),
  ),
});
export type Toolchain = z.infer<typeof Toolchain>;
