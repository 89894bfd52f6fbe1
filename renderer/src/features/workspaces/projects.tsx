import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { DisplayName, Slug, slugOf } from '#shared/kernel/scalars';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { More } from '../../ui/more.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** The Projects of a Workspace. There is always one: the default. */
export function Projects({ workspaceId }: { workspaceId: string }) {
  const t = useText();
  const [isMaking, setMaking] = useState(false);
  const pages = useInfiniteQuery({
    queryKey: keys.projects(workspaceId),
    queryFn: async ({ pageParam }) => {
      const query = { limit: '30', ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await api.listProjects({ params: { workspaceId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
  const rows = pages.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-4 pb-2">
        <div>
          <h2 className="font-semibold">{t('workspace.projects')}</h2>
          <p className="text-muted">{t('workspace.projects.text')}</p>
        </div>
        {!isMaking && <Button onClick={() => setMaking(true)}>{t('workspace.project.new')}</Button>}
      </div>
      {isMaking && <NewProject workspaceId={workspaceId} onDone={() => setMaking(false)} />}
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

function NewProject({ workspaceId, onDone }: { workspaceId: string; onDone: () => void }) {
  const t = useText();
  const id = useId();
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string>();
  const [isChecked, setChecked] = useState(false);
  const slug = typed ?? (name.trim() === '' ? '' : slugOf(name));
  const isNameRight = DisplayName.safeParse(name.trim()).success;
  const isSlugRight = Slug.safeParse(slug).success;
  const make = useIntent(async (keyOf) => {
    const body = { name: name.trim(), slug };
    await api.createProject({ params: { workspaceId }, body }, keyOf(JSON.stringify(body)));
    void queryClient.invalidateQueries({ queryKey: keys.projects(workspaceId) });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isNameRight && isSlugRight) void make.run();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3 border-t border-line p-4">
      <Labelled
        id={`${id}-name`}
        label={t('workspaces.name')}
        problem={isChecked && !isNameRight ? t('workspaces.name.wrong') : undefined}
      >
        <input
          id={`${id}-name`}
          value={name}
          autoComplete="off"
          aria-invalid={isChecked && !isNameRight}
          aria-describedby={`${id}-name-help`}
          onChange={({ target }) => setName(target.value)}
          className={inputClass}
        />
      </Labelled>
      <Labelled
        id={`${id}-slug`}
        label={t('workspace.project.slug')}
        problem={isChecked && !isSlugRight ? t('workspace.project.slug.wrong') : undefined}
      >
        <input
          id={`${id}-slug`}
          value={slug}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isChecked && !isSlugRight}
          aria-describedby={`${id}-slug-help`}
          onChange={({ target }) => setTyped(target.value)}
          className={inputClass}
        />
      </Labelled>
      {make.error !== undefined && <ErrorNote error={make.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={make.isBusy}>
          {t('workspace.project.make')}
        </Button>
        <Button onClick={onDone} disabled={make.isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}
