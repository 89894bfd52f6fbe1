import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import type { Workspace } from '#shared/workspaces/contract';
import { chooseWorkspace } from '../../api/chosen-workspace.ts';
import { api } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { inputClass } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { NewWorkspace } from './new-workspace.tsx';

type Props = { workspaceId: string; name: string };

/** Shows the current Workspace and switches to another one. */
export function WorkspaceSwitcher({ workspaceId, name }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const close = () => {
    setOpen(false);
    setCreating(false);
  };
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={t('workspaces.switch', { name: visibleText(name) })}
        className="flex max-w-36 cursor-pointer items-center gap-1 rounded text-left text-xs text-muted hover:text-ink"
      >
        <span className="truncate">{visibleText(name)}</span>
        <ChevronsUpDown size={12} aria-hidden="true" className="shrink-0" />
      </button>
      <Dialog isOpen={isOpen} onClose={close} title={t(isCreating ? 'workspaces.new' : 'workspaces.title')}>
        {isCreating ? (
          <NewWorkspace onCancel={() => setCreating(false)} />
        ) : (
          <div className="flex flex-col gap-3">
            <Choices workspaceId={workspaceId} />
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setCreating(true)}>{t('workspaces.new')}</Button>
              <Link to="/workspace" onClick={close} className={buttonClass()}>
                {t('workspaces.settings')}
              </Link>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}

const mentions = ({ displayName, handle }: Workspace, text: string): boolean =>
  `${displayName}\n${handle}`.toLowerCase().includes(text.trim().toLowerCase());

function Choices({ workspaceId }: { workspaceId: string }) {
  const t = useText();
  const [text, setText] = useState('');
  const pages = useInfiniteQuery({
    queryKey: keys.workspaces,
    queryFn: async ({ pageParam }) => {
      const cursorQuery = pageParam === undefined ? { selectedWorkspaceId: workspaceId } : { cursor: pageParam };
      return (await api.listWorkspaces({ query: { limit: '50', includeArchived: 'true', ...cursorQuery } })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
  // The Workspace added to the first page also appears on its own page, so duplicates are removed.
  const all = new Map(pages.data?.pages.flatMap((page) => page.workspaces.map((one) => [one.id, one] as const)));
  const shown = [...all.values()].filter((one) => mentions(one, text));
  return (
    <>
      <input
        type="search"
        value={text}
        aria-label={t('workspaces.search')}
        placeholder={t('workspaces.search')}
        onChange={({ target }) => setText(target.value)}
        className={inputClass}
      />
      {pages.isPending && <Skeleton lines={3} />}
      {pages.isLoadingError && <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />}
      <ul className="max-h-72 overflow-y-auto">
        {shown.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-current={one.id === workspaceId}
              onClick={() => chooseWorkspace(one.id)}
              className="flex w-full cursor-pointer items-center justify-between gap-2 rounded-md px-2.5 py-2 text-left hover:bg-raised"
            >
              <span className="min-w-0">
                <span className="block truncate font-medium">{visibleText(one.displayName)}</span>
                <span className="block truncate text-xs text-muted">{one.handle}</span>
              </span>
              <span className="flex gap-1">
                {one.archivedAt !== undefined && <Pill>{t('workspaces.archived')}</Pill>}
                {one.id === workspaceId && <Pill tone="accent">{t('workspaces.current')}</Pill>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {pages.isSuccess && shown.length === 0 && <p className="text-muted">{t('workspaces.nothing')}</p>}
      <More pages={pages} />
    </>
  );
}
