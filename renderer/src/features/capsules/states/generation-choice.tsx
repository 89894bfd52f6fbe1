import { useInfiniteQuery } from '@tanstack/react-query';
import { statesQuery } from '../../../api/records.ts';
import { useText } from '../../../i18n/text.ts';
import { Choice } from '../../../ui/choice.tsx';
import { useCapsule } from '../capsule-context.ts';

type Props = { value: string | undefined; onChange: (stateVersionId: string | undefined) => void };

/** Chooses a StateVersion by its generation; none is the current one. */
export function GenerationChoice({ value, onChange }: Props) {
  const t = useText();
  const { capsule } = useCapsule();
  const pages = useInfiniteQuery(statesQuery(capsule.id));
  const options = (pages.data?.pages.flatMap((page) => page.stateVersions) ?? [])
    .filter(({ id }) => id !== capsule.currentStateVersionId || id === value)
    .map(({ id, generation }) => ({ value: id, text: t('states.generation', { generation }) }));
  const isKnown = value === undefined || options.some((option) => option.value === value);
  const all = isKnown || value === undefined ? options : [{ value, text: t('resources.olderState') }, ...options];
  return (
    <Choice
      label={t('resources.generation')}
      any={t('resources.current')}
      value={value}
      options={all}
      onChange={onChange}
    />
  );
}
