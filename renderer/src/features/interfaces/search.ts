import { type WellKnownKind, wellKnownInterfaces } from '#shared/interfaces/well-known';

export const interfaceKinds = Object.keys(wellKnownInterfaces) as WellKnownKind[];

/** Filter of the list of Interfaces, as stored in the URL. */
export type AppsSearch = { kind?: WellKnownKind };

export function readAppsSearch(search: Record<string, unknown>): AppsSearch {
  const kind = interfaceKinds.find((one) => one === search['kind']);
  return kind ? { kind } : {};
}
