import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { showRevision } from '../../api/copies.ts';
import { useIntent } from '../../api/intent.ts';

/** Prepares a revision of the newest upstream commit and opens its page; opens the one that is open already. */
export function usePrepareRevision(copyId: string) {
  const navigate = useNavigate();
  return useIntent(async (keyOf) => {
    const { revision } = (await api.createCopyRevision({ params: { copyId } }, keyOf('revision'))).body;
    showRevision(revision);
    await navigate({ to: '/copies/$id/revisions/$revisionId', params: { id: copyId, revisionId: revision.id } });
  });
}
