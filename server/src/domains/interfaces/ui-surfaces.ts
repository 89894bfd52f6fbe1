import { jsonDigest } from '#server/kernel/digest';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import type { interfacesApi } from '#shared/interfaces/api';
import type { Interface } from '#shared/interfaces/contract';
import { wellKnownInterfaces } from '#shared/interfaces/well-known';
import { interfaceOf } from './records.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

type Deps = { cursors: Cursors; store: Pick<InterfacesStore, 'listPage'> };
type Query = ListQueryOf<typeof interfacesApi.listUiSurfaces>;
/** The account that opens, and the Workspace. */
type Opener = { workspaceId: string; principalId: string };

const { type, version, permission } = wellKnownInterfaces.launcher;

/** Lists the resolved launchers that an account may open, oldest first. It reads only, and shows no binding. */
export const createUiSurfaces =
  ({ cursors, store }: Deps) =>
  ({ workspaceId, principalId }: Opener, { capsuleId, ...page }: Query) => {
    const filter = {
      workspaceId,
      type,
      version,
      phase: 'Resolved',
      ready: { permission, principalId },
      openedFrom: capsuleId,
    } as const;
    const { rows, next } = readPage(cursors, page, {
      binding: `ui-surfaces:${jsonDigest(filter)}`,
      fetch: (after, limit) => store.listPage(filter, afterCreated(after), limit),
      positionOf: createdOf,
    });
    const interfaces: Interface[] = rows.map((row) => ({ ...interfaceOf(row), ...launcherOwnerOf(row) }));
    return { interfaces, ...next };
  };

/** Names the Capsule whose Output holds the address of a launcher that a Resource owns; nothing when none does. */
function launcherOwnerOf({ ownerKind, spec: { access, inputs = {} } }: InterfaceRow): Pick<Interface, 'launcherOwner'> {
  const { resourceUriInput } = access;
  if (ownerKind !== 'Resource' || resourceUriInput === undefined) return {};
  const input = inputs[resourceUriInput];
  return input?.source === 'capsule_output' ? { launcherOwner: { capsuleId: input.capsuleId } } : {};
}
