const key = 'workspace';

/** The Workspace that this browser worked in last; another account is simply not given it. */
export const readChosenWorkspace = (): string | undefined => localStorage.getItem(key) ?? undefined;

/** Goes to another Workspace. Nothing that was read of the one before may be shown there, so the page begins anew. */
export function chooseWorkspace(id: string): void {
  localStorage.setItem(key, id);
  window.location.assign('/');
}
