import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';

/** Creates a rollback plan to the commit of an earlier state. It is reviewed and applied like any other plan. */
export function PlanReturn({ stateVersionId }: { stateVersionId: string }) {
  const t = useText();
  const navigate = useNavigate();
  const plan = useIntent(async (keyOf) => {
    const { run } = (await api.planRollback({ params: { stateVersionId } }, keyOf('rollback'))).body;
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  });
  const may = useMay();
  if (!may('planRollback')) return null;
  return (
    <>
      <button type="button" className={quietClass} disabled={plan.isBusy} onClick={() => void plan.run()}>
        {t('rollback.button')}
      </button>
      {plan.error !== undefined && <ErrorNote error={plan.error} />}
    </>
  );
}
