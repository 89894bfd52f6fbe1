import { Handle, slugOf } from '#shared/kernel/scalars';
import { chooseWorkspace } from '../../api/chosen-workspace.ts';
import { api } from '../../api/client.ts';
import { NameForm } from './name-form.tsx';

const texts = {
  slug: 'workspaces.handle',
  help: 'workspaces.handle.help',
  wrong: 'workspaces.handle.wrong',
  make: 'workspaces.make',
} as const;

/** Maximum length of a handle. */
const handleOf = (name: string): string => (/[a-z0-9]/i.test(name) ? slugOf(name).slice(0, 39).replace(/-+$/, '') : '');

/** Creates a Workspace and switches to it. */
export const NewWorkspace = ({ onCancel }: { onCancel: () => void }) => (
  <NameForm
    texts={texts}
    isNameOptional
    follow={handleOf}
    isSlug={(handle) => Handle.safeParse(handle).success}
    make={async ({ name, slug: handle }, keyOf) => {
      const body = { handle, ...(name !== '' && { displayName: name }) };
      const response = await api.createWorkspace({ body }, keyOf(JSON.stringify(body)));
      chooseWorkspace(response.body.workspace.id);
    }}
    onCancel={onCancel}
    className="gap-4"
  />
);
