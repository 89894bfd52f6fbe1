import { useState } from 'react';
import type { Workspace } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { invalidateWorkspace } from './clear-workspace.ts';

/** Archives or unarchives the Workspace. */
export function Archive({ workspace }: { workspace: Workspace }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const change = useIntent(async (keyOf, archived: boolean) => {
    const params = { workspaceId: workspace.id };
    await api.updateWorkspace({ params, body: { archived } }, keyOf(`archived ${archived}`));
    setAsking(false);
    invalidateWorkspace();
  });
  if (workspace.archivedAt !== undefined)
    return (
      <Note tone="warn" title={t('workspace.archived')}>
        <p>{t('workspace.archive.text')}</p>
        <Button className="mt-3" busy={change.isBusy} onClick={() => void change.run(false)}>
          {t('workspace.unarchive')}
        </Button>
        {change.error !== undefined && <ErrorNote error={change.error} />}
      </Note>
    );
  return (
    <Card className="p-4">
      <SectionTitle id="archive" />
      <p className="mt-1 text-muted">{t('workspace.archive.text')}</p>
      <Button className="mt-3" onClick={() => setAsking(true)}>
        {t('workspace.archive')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => {
          change.reset();
          setAsking(false);
        }}
        title={t('workspace.archive.ask', { name: visibleText(workspace.displayName) })}
        action={t('workspace.archive')}
        onConfirm={() => void change.run(true)}
        busy={change.isBusy}
        error={change.error}
      >
        {t('workspace.archive.text')}
      </Confirm>
    </Card>
  );
}
