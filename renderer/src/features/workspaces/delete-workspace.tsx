import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Workspace } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { DeletionFacts } from './deletion-facts.tsx';
import { DeletionForm } from './deletion-form.tsx';

/** Deletes the Workspace, after a review of what is left in place, deleted and retained. */
export function DeleteWorkspace({ workspace }: { workspace: Workspace }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card className="border-bad/50 p-4">
      <SectionTitle id="delete" />
      <p className="mt-1 text-muted">{t('workspace.delete.text')}</p>
      {isOpen ? (
        <Review workspace={workspace} onCancel={() => setOpen(false)} />
      ) : (
        <Button className="mt-3" onClick={() => setOpen(true)}>
          {t('workspace.delete.review')}
        </Button>
      )}
    </Card>
  );
}

function Review({ workspace, onCancel }: { workspace: Workspace; onCancel: () => void }) {
  const query = useQuery({
    queryKey: ['workspace', 'deletion-preview', workspace.id],
    queryFn: async () => (await api.previewWorkspaceDeletion({ params: { workspaceId: workspace.id } })).body.preview,
    // The review has to show the Capsules as they are now.
    staleTime: 0,
    gcTime: 0,
  });
  if (query.isPending) return <Skeleton lines={4} />;
  if (!query.data) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  return (
    <div className="mt-3 flex flex-col gap-4">
      <DeletionFacts preview={query.data} />
      <DeletionForm preview={query.data} onCancel={onCancel} onRefused={() => void query.refetch()} />
    </div>
  );
}
