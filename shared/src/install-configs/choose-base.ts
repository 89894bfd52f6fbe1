import type { InstallConfig } from './contract.ts';

/** The module for which a base is chosen, by its repository and Source path. */
export type BaseTarget = { url: string; path: string; modulePath: string };
type Selectable = Pick<InstallConfig, 'id' | 'workspaceId' | 'sourceSelector' | 'modulePath'>;

/** Returns the best match: a Workspace row with selector and module path, one with the selector alone, then shared rows likewise. */
export function chooseBase<T extends Selectable>(configs: readonly T[], target: BaseTarget): T | undefined {
  const matches = configs.filter(
    ({ sourceSelector, modulePath }) =>
      sourceSelector?.url === target.url &&
      sourceSelector.path === target.path &&
      (modulePath === undefined || modulePath === target.modulePath),
  );
  const rank = ({ workspaceId, modulePath }: T) =>
    (workspaceId === undefined ? 2 : 0) + (modulePath === undefined ? 1 : 0);
  return matches.sort((one, other) => rank(one) - rank(other))[0];
}
