import path from 'node:path';

/** Folders of the data folder that Runs use; `mirror` is the operator's provider mirror. */
export type Folders = {
  runs: string;
  capsules: string;
  archives: string;
  providers: string;
  mirror: string | undefined;
};
export const runDirOf = (folders: Folders, runId: string): string => path.join(folders.runs, runId);

/** Returns the folder of an action's supervisor, beside that of its Run. */
export const actionDirOf = (folders: Folders, { runId, position }: { runId: string; position: number }): string =>
  `${runDirOf(folders, runId)}.${position}`;

/** Returns the Run of a folder among those of Runs, which is also the folder of an action. */
export const runIdOfFolder = (name: string): string => name.replace(/\.\d+$/, '');
