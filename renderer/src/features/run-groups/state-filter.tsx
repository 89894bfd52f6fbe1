import { useText } from '../../i18n/text.ts';
import { numberText } from '../../ui/number-text.ts';
import { type MemberState, memberStates } from './members.ts';

type Props = {
  counts: Readonly<Record<MemberState, number>>;
  total: number;
  state: MemberState | undefined;
  onChange: (state: MemberState | undefined) => void;
};

/** Progress of a group: how many members are in each state. Each count shows only its members. */
export function StateFilter({ counts, total, state, onChange }: Props) {
  const t = useText();
  const choices = [undefined, ...memberStates].filter((one) => one === undefined || one === state || counts[one] > 0);
  return (
    <fieldset className="mb-4 flex flex-wrap gap-2">
      <legend className="sr-only">{t('group.state')}</legend>
      {choices.map((one) => (
        <button
          key={one ?? 'all'}
          type="button"
          aria-pressed={one === state}
          onClick={() => onChange(one)}
          className="inline-flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-line bg-card px-3 py-1 hover:bg-raised aria-pressed:border-accent aria-pressed:bg-accent-soft"
        >
          {t(`group.state.${one ?? 'all'}`)}
          <span className="text-muted tabular-nums">{numberText(one === undefined ? total : counts[one])}</span>
        </button>
      ))}
    </fieldset>
  );
}
