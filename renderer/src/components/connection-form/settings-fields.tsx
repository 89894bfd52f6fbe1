import { Plus } from 'lucide-react';
import { useId } from 'react';
import { canonicalSource } from '#shared/kernel/provider-source';
import { useText } from '../../i18n/text.ts';
import { Help, inputClass, Labelled, quietClass } from '../../ui/controls.tsx';
import { keyOf, type Row } from './draft.ts';
import { useProblemText } from './form-problem.tsx';
import type { FormScope } from './form-state.ts';
import { NameInput, ownRowClass, RemoveRow, useNextId } from './own-names.tsx';

/** Arguments of a provider block that most modules leave unset. */
const usual: Readonly<Record<string, readonly string[]>> = {
  'hashicorp/aws': ['region'],
  'hashicorp/google': ['project', 'region', 'zone'],
  'hashicorp/google-beta': ['project', 'region', 'zone'],
  'hashicorp/kubernetes': ['config_context'],
  'scaleway/scaleway': ['region', 'zone'],
  'integrations/github': ['owner'],
};

type Props = { scope: FormScope };

/** Plain arguments for the provider's block, such as a region; they are kept readable. */
export function SettingsFields({ scope }: Props) {
  const t = useText();
  const { draft, change } = scope;
  const nextId = useNextId(draft.settings);
  const names = usual[canonicalSource(draft.provider.trim()) ?? ''] ?? [];
  const free = names.find((name) => !draft.settings.some((row) => row.name === name)) ?? '';
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">{t('form.settings')}</legend>
      <Help>{t('form.settings.help')}</Help>
      {draft.settings.map((row) => (
        <SettingRow key={row.id} row={row} scope={scope} names={names} />
      ))}
      <button
        type="button"
        className={`${quietClass} w-fit`}
        onClick={() => change({ settings: [...draft.settings, { id: nextId(), name: free, value: '' }] })}
      >
        <Plus size={14} aria-hidden="true" /> {t('form.settings.add')}
      </button>
    </fieldset>
  );
}

function SettingRow({ row, scope, names }: Props & { row: Row; names: readonly string[] }) {
  const t = useText();
  const formatProblem = useProblemText();
  const id = useId();
  const { draft, problems, change } = scope;
  const put = (part: Partial<Row>) =>
    change({ settings: draft.settings.map((one) => (one.id === row.id ? { ...one, ...part } : one)) });
  const problem = formatProblem(problems[keyOf.row('settings', row.id, 'value')]);
  return (
    <div className={ownRowClass}>
      <NameInput
        label={t('form.setting.name')}
        value={row.name}
        suggestions={names}
        problem={formatProblem(problems[keyOf.row('settings', row.id, 'name')])}
        onText={(name) => put({ name })}
      />
      <Labelled id={id} label={t('form.setting.value')} problem={problem}>
        <input
          id={id}
          className={`${inputClass} font-mono`}
          value={row.value}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={`${id}-help`}
          onChange={(event) => put({ value: event.target.value })}
        />
      </Labelled>
      <RemoveRow
        what={row.name}
        onRemove={() => change({ settings: draft.settings.filter((one) => one.id !== row.id) })}
      />
    </div>
  );
}
