import { z } from 'zod';

/** Records whose changes the stream of a Workspace tells. */
export const changeKinds = [
  'run',
  'capsule',
  'source',
  'install_plan',
  'state_version',
  'runner',
  'connection',
  'dependency',
  'output_share',
  'workspace',
  'member',
] as const;

/** Data of the event `changed`: this record is worth reading again. `status` is the one it has now, where it has one. */
export const Changed = z.strictObject({ kind: z.enum(changeKinds), id: z.string(), status: z.string().optional() });
export type Changed = z.infer<typeof Changed>;
