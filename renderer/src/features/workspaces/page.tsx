import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { DisplayName } from '#shared/kernel/scalars';
import type { Workspace } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { workspaceQuery } from '../../api/records.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Archive } from './archive.tsx';
import { invalidateWorkspace } from './clear-workspace.ts';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { DriftChecks } from './drift-checks.tsx';
import { Policy } from './policy.tsx';
import { Projects } from './projects.tsx';

/** Page of a Workspace: name, policy, Projects, archive and deletion. */
export function WorkspacePage() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const query = useQuery(workspaceQuery(workspaceId));
  return (
    <>
      <PageTitle
        title={query.data ? visibleText(query.data.displayName) : t('workspace.title')}
        lead={t('workspace.lead')}
      />
      {query.isPending && <Skeleton lines={6} />}
      {query.isLoadingError && <ErrorNote error={query.error} onAgain={() => void query.refetch()} />}
      {query.data && (
        <div className="flex max-w-3xl flex-col gap-4">
          <About key={query.data.displayName} workspace={query.data} />
          <DriftChecks workspace={query.data} />
          <Policy workspace={query.data} />
          <Projects workspaceId={workspaceId} />
          <LinkCard page="backups" />
          <LinkCard page="webhooks" />
          <Allowed to="updateWorkspace">
            <Archive workspace={query.data} />
          </Allowed>
          <Allowed to="previewWorkspaceDeletion">
            <DeleteWorkspace workspace={query.data} />
          </Allowed>
        </div>
      )}
    </>
  );
}

/** Part of the settings that has a page of its own. */
function LinkCard({ page }: { page: 'backups' | 'webhooks' }) {
  const t = useText();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t(`${page}.title`)}</h2>
      <p className="mt-1 mb-3 text-sm text-muted">{t(`${page}.lead`)}</p>
      <Link to={`/workspace/${page}`} className={buttonClass()}>
        {t(`${page}.open`)}
      </Link>
    </Card>
  );
}

function About({ workspace }: { workspace: Workspace }) {
  const t = useText();
  const id = useId();
  const [name, setName] = useState(workspace.displayName);
  const isRight = DisplayName.safeParse(name.trim()).success;
  const save = useIntent(async (keyOf) => {
    const body = { displayName: name.trim() };
    await api.updateWorkspace({ params: { workspaceId: workspace.id }, body }, keyOf(JSON.stringify(body)));
    invalidateWorkspace();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRight) void save.run();
  };
  const may = useMay();
  return (
    <Card className="p-4">
      <SectionTitle id="about" />
      <p className="mt-1 text-sm text-muted">
        <code className="font-mono">{workspace.handle}</code> · {t('workspace.made')} <Since at={workspace.createdAt} />
      </p>
      <form noValidate onSubmit={submit} className="mt-3 flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <Labelled
            id={`${id}-name`}
            label={t('workspaces.name')}
            problem={isRight ? undefined : t('workspaces.name.wrong')}
          >
            <input
              id={`${id}-name`}
              value={name}
              readOnly={!may('updateWorkspace')}
              autoComplete="off"
              aria-invalid={!isRight}
              aria-describedby={`${id}-name-help`}
              onChange={({ target }) => setName(target.value)}
              className={inputClass}
            />
          </Labelled>
        </div>
        <Button
          type="submit"
          busy={save.isBusy}
          disabled={name.trim() === workspace.displayName || !may('updateWorkspace')}
        >
          {t('save')}
        </Button>
      </form>
      {save.error !== undefined && (
        <div className="mt-3">
          <ErrorNote error={save.error} />
        </div>
      )}
    </Card>
  );
}
