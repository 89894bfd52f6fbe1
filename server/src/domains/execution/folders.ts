import { type Folders, jobDir } from '#server/runner/index';

export type { Folders } from '#server/runner/index';

export const runDirOf = (folders: Folders, runId: string): string => jobDir(folders, runId);

type ActionKey = { runId: string; position: number };

/** Returns the id of the job of an action. */
export const actionJobId = ({ runId, position }: ActionKey): string => `${runId}.${position}`;

/** Returns the key of the action in the id of a job; undefined for the job of a Run. */
export function actionKeyOf(jobId: string): ActionKey | undefined {
  const [runId = '', position] = jobId.split('.');
  return position === undefined ? undefined : { runId, position: Number(position) };
}

/** Returns the folder of an action's supervisor, beside that of its Run. */
export const actionDirOf = (folders: Folders, key: ActionKey): string => jobDir(folders, actionJobId(key));

/** Returns the Run of a folder among those of Runs, which is also the folder of an action. */
export const runIdOfFolder = (name: string): string => name.replace(/\.\d+$/, '');
