import { useState } from 'react';
import type { ConfigurationInput } from '#shared/configuration-plans/configuration';
import { writeJson } from '#shared/kernel/exact-number';
import { InputSearch, NoMatch, searchFrom } from '../../../components/inputs/input-search.tsx';
import { useLocalized, useText } from '../../../i18n/text.ts';
import { JsonValue } from '../../../ui/json-value.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { OriginText } from './origin-text.tsx';

/** Inputs with their values and origins. */
export function InputTable({ inputs }: { inputs: readonly ConfigurationInput[] }) {
  const t = useText();
  const localized = useLocalized();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const matches = ({ name, declaration, presentation, value }: ConfigurationInput) =>
    [
      name,
      declaration?.description ?? '',
      presentation ? localized(presentation.label) : '',
      value.status === 'shown' ? writeJson(value.value) : '',
    ]
      .join(' ')
      .toLowerCase()
      .includes(wanted);
  const shown = wanted === '' ? inputs : inputs.filter(matches);
  if (inputs.length === 0) return <p className="px-4 py-3.5 text-muted">{t('input.none')}</p>;
  return (
    <>
      {inputs.length >= searchFrom && <InputSearch text={search} onChange={setSearch} />}
      {shown.length === 0 ? (
        <NoMatch />
      ) : (
        <ul aria-label={t('configuration.title')} className="divide-y divide-line">
          {shown.map((input) => (
            <li
              key={input.name}
              data-value-of={input.name}
              className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]"
            >
              <InputName input={input} />
              <div className="min-w-0">
                <ValueText input={input} />
                <p className="mt-0.5 text-sm break-words text-muted">
                  <OriginText origin={input.origin} />
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function InputName({ input: { name, declaration, presentation, secret, required } }: { input: ConfigurationInput }) {
  const t = useText();
  const localized = useLocalized();
  const label = presentation && localized(presentation.label);
  const about = presentation?.helper ? localized(presentation.helper) : declaration?.description;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {label !== undefined && label !== name && (
          <span className="font-semibold break-words">{visibleText(label)}</span>
        )}
        <code className={`break-all ${label === undefined || label === name ? 'font-semibold' : 'text-xs text-muted'}`}>
          {name}
        </code>
        {declaration?.typeText !== undefined && (
          <span className="max-w-full truncate font-mono text-xs text-muted" title={visibleText(declaration.typeText)}>
            {visibleText(declaration.typeText)}
          </span>
        )}
        {required && <Pill tone="accent">{t('input.isRequired')}</Pill>}
        {secret && <Pill tone="warn">{t('input.isSecret')}</Pill>}
        {declaration?.ephemeral && <Pill>{t('input.isEphemeral')}</Pill>}
        {!declaration && <Pill>{t('configuration.undeclared')}</Pill>}
      </p>
      {about && <p className="mt-0.5 text-sm break-words whitespace-pre-line text-muted">{visibleText(about)}</p>}
    </div>
  );
}

/** A value, or the reason why there is none to show. */
export function ValueText({ input: { name, value, secret, origin } }: { input: ConfigurationInput }) {
  const t = useText();
  if (value.status === 'shown') return <JsonValue value={value.value} name={name} />;
  if (value.status === 'hidden') {
    if (secret && origin.kind === 'module_default') return <p className="text-muted">{t('configuration.notSet')}</p>;
    return <p className="font-medium">{t(secret ? 'configuration.set' : 'configuration.hidden')}</p>;
  }
  return <p className="text-muted">{t(value.status === 'unknown' ? 'input.ownDefault' : 'configuration.notSet')}</p>;
}
