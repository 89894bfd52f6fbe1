import { z } from 'zod';

/** Kinds of changes that are about a Run; `id` is that of the Run. */
export const runChangeKinds = [
  'run',
  /** A plan for which an approval was requested. */
  'approval_request',
  /** An apply that was ended, a state of which arrived later or was decided about. */
  'late_state',
] as const;

/** Kinds of records whose changes the stream of a Workspace reports. */
const changeKinds = [
  ...runChangeKinds,
  'capsule',
  'source',
  'install_plan',
  'state_version',
  'backup',
  'import',
  'copy',
  'runner',
  'connection',
  'dependency',
  'output_share',
  'webhook',
  'workspace',
  /** Schedule of the backups of a Workspace; `id` is that of the Workspace. */
  'backup_schedule',
  'member',
] as const;

/** Data of the event `changed`: this record should be read again. `status` is its current status, where it has one. */
export const Changed = z.strictObject({ kind: z.enum(changeKinds), id: z.string(), status: z.string().optional() });
export type Changed = z.infer<typeof Changed>;

/** Data of the event `changed` in the stream of an account: a Run of one of its Workspaces. */
export const ChangedRun = Changed.extend({ kind: z.enum(runChangeKinds), workspaceId: z.string() });
export type ChangedRun = z.infer<typeof ChangedRun>;
