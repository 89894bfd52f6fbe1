const key = 'workspace';

/** Id of the last Workspace used in this browser. It is ignored when the account does not have that Workspace. */
export const readChosenWorkspace = (): string | undefined => localStorage.getItem(key) ?? undefined;

/** Switches to another Workspace and reloads the page, so that no data of the previous one is shown. */
export function chooseWorkspace(id: string): void {
  localStorage.setItem(key, id);
  window.location.assign('/');
}
