import type { WorkspacesService } from '#server/domains/workspaces/index';
import { slugOf } from '#shared/kernel/scalars';
import type { CapsulesStore } from './store.ts';

type Deps = {
  store: Pick<CapsulesStore, 'listSlugs' | 'hasLiveSlug'>;
  workspaces: Pick<WorkspacesService, 'getHandle' | 'findByHandle'>;
};

/**
 * Returns the slug for a Capsule of this name. It is unique in its Workspace. Hosts are named `<slug>-<handle>` and resources
 * `<handle>-<slug>`. Both parts may contain a dash, so a slug is also skipped where a Capsule of another Workspace has the same combined
 * name.
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

/** Returns every split of a text into two parts at a dash. */
const splitsOf = (text: string): [string, string][] =>
  [...text.matchAll(/-/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)]);
