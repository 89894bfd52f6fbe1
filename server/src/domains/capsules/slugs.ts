import type { WorkspacesService } from '#server/domains/workspaces/index';
import { slugOf } from '#shared/kernel/scalars';
import type { CapsulesStore } from './store.ts';

type Deps = {
  store: Pick<CapsulesStore, 'listSlugs' | 'hasLiveSlug'>;
  workspaces: Pick<WorkspacesService, 'getHandle' | 'findByHandle'>;
};

/**
 * The slug that a Capsule of this name gets. In its Workspace none is given twice. Hosts are called
 * `<slug>-<handle>` and resources `<handle>-<slug>` (shapes 20.3): since both parts may hold a dash, a slug is also
 * passed over where another Workspace's Capsule is called by the same text.
 */
export function createFreeSlug({ store, workspaces }: Deps) {
  const holds = (at: { handle: string; slug: string }): boolean => {
    const other = workspaces.findByHandle(at.handle);
    return other !== undefined && store.hasLiveSlug(other, at.slug);
  };
  const isCalledElsewhere = (slug: string, handle: string): boolean =>
    splitsOf(`${slug}-${handle}`).some(([left, right]) => right !== handle && holds({ slug: left, handle: right })) ||
    splitsOf(`${handle}-${slug}`).some(([left, right]) => left !== handle && holds({ handle: left, slug: right }));

  return (workspaceId: string, name: string): string => {
    const base = slugOf(name);
    const handle = workspaces.getHandle(workspaceId);
    const taken = new Set(store.listSlugs(workspaceId, base.slice(0, 50)));
    const isFree = (slug: string) => !taken.has(slug) && !isCalledElsewhere(slug, handle);
    if (isFree(base)) return base;
    let number = 2;
    while (!isFree(`${base.slice(0, 55)}-${number}`)) number += 1;
    return `${base.slice(0, 55)}-${number}`;
  };
}

/** Every way to read a text as two parts with a dash between them. */
const splitsOf = (text: string): [string, string][] =>
  [...text.matchAll(/-/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)]);
