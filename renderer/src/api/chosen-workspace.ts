const key = 'workspace';

/** Id of the last Workspace used in this browser. It is ignored when the account does not have that Workspace. */
export const readChosenWorkspace = (): string | undefined => localStorage.getItem(key) ?? undefined;

/** Switches to another Workspace and loads a page of it again, so that no data of the previous one is shown. */
export function chooseWorkspace(id: string, path = '/'): void {
  localStorage.setItem(key, id);
  window.location.assign(path);
}

/** Loads the start page in another Workspace, after the chosen one was deleted. */
export function leaveDeletedWorkspace(): void {
  localStorage.removeItem(key);
  window.location.assign('/');
}
