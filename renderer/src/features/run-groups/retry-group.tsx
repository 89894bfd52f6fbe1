import type { RunGroup } from '#shared/run-groups/contract';
import { api } from '../../api/client.ts';
import { runGroupQuery } from '../../api/groups.ts';
import { useIntent } from '../../api/intent.ts';
import { queryClient } from '../../api/queries.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Plans the members again that failed or were cancelled. */
export function RetryGroup({ group, count }: { group: RunGroup; count: number }) {
  const t = useText();
  const retry = useIntent(async (keyOf) => {
    const { body } = await api.retryRunGroup({ params: { runGroupId: group.id } }, keyOf('retry'));
    queryClient.setQueryData(runGroupQuery(group.id).queryKey, body);
  });
  return (
    <Allowed to="retryRunGroup">
      <div className="flex flex-col items-end gap-2">
        <Button busy={retry.isBusy} onClick={() => void retry.run()}>
          {t(group.type === 'workspace_update' ? 'group.retry' : 'group.retry.drift', { count })}
        </Button>
        {retry.error !== undefined && <ErrorNote error={retry.error} />}
      </div>
    </Allowed>
  );
}
