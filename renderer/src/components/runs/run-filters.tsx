import { runTriggers } from '#shared/runs/changes';
import { runStatuses, runTypes } from '#shared/runs/contract';
import { useText } from '../../i18n/text.ts';
import { Choice } from '../../ui/choice.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ActorChoice } from '../actor-choice.tsx';
import { CapsuleChoice } from '../capsule-choice.tsx';
import { awaitsTexts, runStatusTexts, runTypeTexts } from '../status-text.ts';
import { CommitField } from './commit-field.tsx';
import type { RunsSearch } from './search.ts';

type Change = { [K in keyof RunsSearch]: RunsSearch[K] | undefined };
type Props = {
  search: RunsSearch;
  onChange: (change: Change) => void;
  /** True on a page of one Capsule. */
  isOfCapsule?: boolean;
};

const unmade = new Set(['backup', 'restore']);

/** Filters of the list of Runs: text, awaited decision, status, kind, account, cause, commit and Capsule. */
export function RunFilters({ search, onChange, isOfCapsule = false }: Props) {
  const t = useText();
  const awaits = (['approve', 'apply'] as const).map((value) => ({ value, text: t(awaitsTexts[value].text) }));
  const statuses = runStatuses.map((value) => ({ value, text: t(runStatusTexts[value].text) }));
  const types = runTypes
    .filter((value) => !unmade.has(value) || value === search.type)
    .map((value) => ({ value, text: t(runTypeTexts[value]) }));
  const triggers = runTriggers.map((value) => ({ value, text: t(`runs.trigger.${value}`) }));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField label={t('runs.search')} value={search.q ?? ''} onSearch={(q) => onChange({ q: q || undefined })} />
      <Choice
        label={t('runs.awaits')}
        any={t('runs.awaits.any')}
        value={search.awaits}
        options={awaits}
        onChange={(value) => onChange({ awaits: awaits.find((one) => one.value === value)?.value })}
      />
      <Choice
        label={t('runs.status')}
        any={t('runs.status.any')}
        value={search.status}
        options={statuses}
        onChange={(value) => onChange({ status: statuses.find((one) => one.value === value)?.value })}
      />
      <Choice
        label={t('runs.type')}
        any={t('runs.type.any')}
        value={search.type}
        options={types}
        onChange={(value) => onChange({ type: types.find((one) => one.value === value)?.value })}
      />
      <ActorChoice value={search.by} onChange={(by) => onChange({ by })} />
      <Choice
        label={t('runs.trigger')}
        any={t('runs.trigger.any')}
        value={search.trigger}
        options={triggers}
        onChange={(value) => onChange({ trigger: triggers.find((one) => one.value === value)?.value })}
      />
      <CommitField value={search.commit} onChange={(commit) => onChange({ commit })} />
      {!isOfCapsule && <CapsuleChoice value={search.capsule} onChange={(capsule) => onChange({ capsule })} />}
    </div>
  );
}
