import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { usePlanUpdate } from '../../components/use-plan-update.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { pageActionsMark } from '../../ui/page-actions.ts';

/** Actions on all Capsules: plan all updates and check all for drift. Each opens its RunGroup. */
export function WorkspaceActions() {
  const t = useText();
  const navigate = useNavigate();
  const params = { workspaceId: useWorkspaceId() };
  const show = (id: string) => navigate({ to: '/run-groups/$id', params: { id } });
  const update = usePlanUpdate();
  const drift = useIntent(async (keyOf) =>
    show((await api.checkWorkspaceDrift({ params, body: {} }, keyOf('drift'))).body.runGroup.id),
  );
  const error = update.error ?? drift.error;
  const may = useMay();
  if (!may('planUpdate')) return null;
  return (
    <>
      <span {...pageActionsMark} className="flex flex-wrap items-center gap-2 md:ml-auto">
        <Link to="/run-groups" className="px-1 text-accent hover:underline">
          {t('groups.title')}
        </Link>
        <Button busy={update.isBusy} disabled={drift.isBusy} onClick={() => void update.run()}>
          {t('update.plan')}
        </Button>
        <Button busy={drift.isBusy} disabled={update.isBusy} onClick={() => void drift.run()}>
          {t('drift.checkAll')}
        </Button>
      </span>
      {error !== undefined && (
        <div className="w-full">
          <ErrorNote error={error} />
        </div>
      )}
    </>
  );
}
