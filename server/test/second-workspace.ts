import { createWorkspacesStore } from '../src/domains/workspaces/store.ts';
import type { Db } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';

/** Another Workspace with its default Project, owned by these accounts: no route creates one yet. */
export function addWorkspace(db: Db, owners: readonly string[], name = 'Other', called?: string): string {
  const store = createWorkspacesStore(db);
  const id = newId('workspace');
  const stamps = { createdAt: Date.now(), updatedAt: Date.now() };
  const handle = called ?? id.toLowerCase().replace('_', '-').slice(0, 39);
  const ownerUserId = owners[0] ?? 'no-owner';
  db.write(() => {
    store.insertWorkspace({ id, handle, displayName: name, type: 'organization', ownerUserId, ...stamps });
    for (const accountId of owners)
      store.insertMember({
        id: newId('member'),
        workspaceId: id,
        accountId,
        role: 'owner',
        status: 'active',
        ...stamps,
      });
    const projectId = `prj_default_${id}`;
    store.insertProject({
      id: projectId,
      workspaceId: id,
      name: 'Default',
      slug: 'default',
      projectJson: {},
      ...stamps,
    });
  });
  return id;
}
