import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { capsuleQuery, capsulesQuery } from '../api/records.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { Choice } from '../ui/choice.tsx';
import { visibleText } from '../ui/visible-text.ts';

/** Filters a list by one of the recently changed Capsules. The selected one is always an option. */
export function CapsuleChoice({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}) {
  const t = useText();
  const pages = useInfiniteQuery(capsulesQuery(useWorkspaceId(), { includeDestroyed: '1' }));
  const capsules = pages.data?.pages.flatMap((page) => page.capsules) ?? [];
  const isKnown = value === undefined || capsules.some(({ id }) => id === value);
  const chosen = useQuery({ ...capsuleQuery(value ?? ''), enabled: !isKnown && pages.isSuccess }).data;
  const options = [...(chosen ? [chosen] : []), ...capsules].map(({ id, name, environment }) => ({
    value: id,
    text: environment === 'default' ? visibleText(name) : `${visibleText(name)} (${environment})`,
  }));
  return <Choice label="Capsule" any={t('runs.capsule.any')} value={value} options={options} onChange={onChange} />;
}
