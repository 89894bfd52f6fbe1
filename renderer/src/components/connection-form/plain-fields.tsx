import { type ReactNode, useId, useState } from 'react';
import type { Recipe } from '#shared/connections/recipe';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { useProblemText } from './form-problem.tsx';
import type { FormScope } from './form-state.ts';
import { SettingsFields } from './settings-fields.tsx';

/** Selects one of the recipe's providers. Renders nothing when there is only one. */
export function ProviderField({ recipe, scope: { draft, problems, change } }: { recipe: Recipe; scope: FormScope }) {
  const t = useText();
  const formatProblem = useProblemText();
  const id = useId();
  const { terraformSource } = recipe;
  if (terraformSource !== '*' && terraformSource.length < 2) return null;
  const problem = formatProblem(problems['provider']);
  const shared = {
    id,
    value: draft.provider,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': `${id}-help`,
    className: `${inputClass} font-mono`,
  };
  return (
    <Labelled
      id={id}
      label={t('form.provider')}
      problem={problem}
      help={t(terraformSource === '*' ? 'form.provider.help' : 'form.provider.which')}
    >
      {terraformSource === '*' ? (
        <input
          {...shared}
          placeholder="hashicorp/aws"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => change({ provider: event.target.value })}
        />
      ) : (
        <select {...shared} onChange={(event) => change({ provider: event.target.value })}>
          {terraformSource.map((source) => (
            <option key={source}>{source}</option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Optional fields in a fold. It opens automatically when one of them is invalid. */
export function Folded({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <details open={isOpen || isWanted} onToggle={(event) => setWanted(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-sm font-medium text-accent">{title}</summary>
      <div className="mt-3 flex flex-col gap-4">{children}</div>
    </details>
  );
}

/** Name, expiry date and plain provider settings of the Connection. */
export function PlainFields({ scope }: { scope: FormScope }) {
  const t = useText();
  const formatProblem = useProblemText();
  const { draft, problems, change } = scope;
  const ids = { name: useId(), endsOn: useId() };
  const shared = (key: 'name' | 'endsOn', problem: string | undefined) => ({
    id: ids[key],
    value: draft[key],
    autoComplete: 'off',
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': `${ids[key]}-help`,
    className: inputClass,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
  });
  const wrong = { name: formatProblem(problems['name']), endsOn: formatProblem(problems['endsOn']) };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Labelled id={ids.name} label={t('token.name')} help={t('token.name.help')} problem={wrong.name}>
          <input {...shared('name', wrong.name)} type="text" spellCheck={false} />
        </Labelled>
        <Labelled id={ids.endsOn} label={t('token.ends')} help={t('form.ends.help')} problem={wrong.endsOn}>
          <input {...shared('endsOn', wrong.endsOn)} type="date" />
        </Labelled>
      </div>
      <Folded title={t('form.settings')} isOpen={Object.keys(problems).some((key) => key.startsWith('settings:'))}>
        <SettingsFields scope={scope} />
      </Folded>
    </>
  );
}
