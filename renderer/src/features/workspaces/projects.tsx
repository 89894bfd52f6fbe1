import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Slug, slugOf } from '#shared/kernel/scalars';
import { api } from '../../api/client.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { NameForm } from './name-form.tsx';

/** The Projects of a Workspace. There is always one: the default. */
export function Projects({ workspaceId }: { workspaceId: string }) {
  const t = useText();
  const [isCreating, setCreating] = useState(false);
  const pages = useInfiniteQuery({
    queryKey: keys.projects(workspaceId),
    queryFn: async ({ pageParam }) => {
      const query = { limit: '30', ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await api.listProjects({ params: { workspaceId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
  const may = useMay();
  const rows = pages.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-4 pb-2">
        <div>
          <SectionTitle id="projects" />
          <p className="text-muted">{t('workspace.projects.text')}</p>
        </div>
        {!isCreating && may('createProject') && (
          <Button onClick={() => setCreating(true)}>{t('workspace.project.new')}</Button>
        )}
      </div>
      {isCreating && <NewProject workspaceId={workspaceId} onDone={() => setCreating(false)} />}
      {pages.isPending && <Skeleton lines={2} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      <ul>
        {rows.map(({ id, name, slug, createdAt }) => (
          <li key={id} className="flex items-center justify-between gap-3 border-t border-line px-4 py-2.5">
            <span className="min-w-0 break-words">
              {visibleText(name)} <code className="font-mono text-xs text-muted">{slug}</code>
            </span>
            <span className="shrink-0 text-sm text-muted">
              <Since at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <More pages={pages} />
    </Card>
  );
}

const texts = {
  slug: 'workspace.project.slug',
  help: 'workspace.project.slug.help',
  wrong: 'workspace.project.slug.wrong',
  make: 'workspace.project.make',
} as const;

const NewProject = ({ workspaceId, onDone }: { workspaceId: string; onDone: () => void }) => (
  <NameForm
    texts={texts}
    follow={(name) => (name.trim() === '' ? '' : slugOf(name))}
    isSlug={(slug) => Slug.safeParse(slug).success}
    make={async (body, keyOf) => {
      await api.createProject({ params: { workspaceId }, body }, keyOf(JSON.stringify(body)));
      void queryClient.invalidateQueries({ queryKey: keys.projects(workspaceId) });
      onDone();
    }}
    onCancel={onDone}
    className="gap-3 border-t border-line p-4"
  />
);
