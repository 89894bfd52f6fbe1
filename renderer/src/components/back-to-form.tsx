import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { installAddress } from '../api/install-address.ts';
import { installPlansQuery, sourceQuery } from '../api/records.ts';
import { useMay } from '../api/role.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';

/**
 * Leads back to the inputs of a Capsule that was never applied: through its installation, or from the address when
 * there is none.
 */
export function BackToForm({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const { data: plans, isPending } = useQuery(installPlansQuery(useWorkspaceId()));
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const may = useMay();
  if (isPending || !may('createInstallPlan')) return null;
  const plan = plans?.find(({ capsuleId, phase }) => capsuleId === capsule.id && phase === 'failed');
  if (plan)
    return (
      <Link to="/install-plans/$id" params={{ id: plan.id }} className={buttonClass()}>
        {t('next.form')}
      </Link>
    );
  if (!source) return null;
  const { url, defaultRef: ref, defaultPath: path } = source;
  return (
    <Link to="/new" search={{ url: installAddress({ url, ref, path }) }} className={buttonClass()}>
      {t('next.form')}
    </Link>
  );
}
