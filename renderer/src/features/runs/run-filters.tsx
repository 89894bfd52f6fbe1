import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { runStatuses, runTypes } from '#shared/runs/contract';
import { capsuleQuery, capsulesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { awaitsWords, runStatusWords, runTypeWords } from '../../api/words.ts';
import { useText } from '../../i18n/text.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { RunsSearch } from './search.ts';

type Change = { [K in keyof RunsSearch]: RunsSearch[K] | undefined };
type Props = { search: RunsSearch; onChange: (change: Change) => void };
type Option = { value: string; text: string };

const unmade = new Set(['destroy_plan', 'destroy_apply', 'drift_check', 'backup', 'restore']);

/** Which Runs are shown: by words, by what they wait for, by how they stand, by kind and by Capsule. */
export function RunFilters({ search, onChange }: Props) {
  const t = useText();
  const awaits = (['approve', 'apply'] as const).map((value) => ({ value, text: t(awaitsWords[value].text) }));
  const statuses = runStatuses.map((value) => ({ value, text: t(runStatusWords[value].text) }));
  const types = runTypes
    .filter((value) => !unmade.has(value) || value === search.type)
    .map((value) => ({ value, text: t(runTypeWords[value]) }));
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
      <CapsuleChoice value={search.capsule} onChange={(capsule) => onChange({ capsule })} />
    </div>
  );
}

/** The Capsules that moved last; the one that is chosen is always among them. */
function CapsuleChoice({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
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

type ChoiceProps = {
  label: string;
  /** What the choice of none is called. */
  any: string;
  value: string | undefined;
  options: readonly Option[];
  onChange: (value: string | undefined) => void;
};

const Choice = ({ label, any, value, options, onChange }: ChoiceProps) => (
  <label className="min-w-0">
    <span className="sr-only">{label}</span>
    <select
      className={`min-h-9 max-w-52 rounded-md border bg-card px-2 ${value === undefined ? 'border-line-strong/60 text-muted' : 'border-accent text-ink'}`}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">{any}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  </label>
);
