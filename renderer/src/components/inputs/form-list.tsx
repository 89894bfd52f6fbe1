import { useState } from 'react';
import { writeJson } from '#shared/kernel/exact-number';
import { useLocalized, useText } from '../../i18n/text.ts';
import { Pill } from '../../ui/pill.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { Input } from './entry.ts';
import { InputRows, type ListProps } from './input-rows.tsx';
import { InputSearch, NoMatch, searchFrom } from './input-search.tsx';
import { giverOf, isUserInput, type ManifestForm, sectionsOf } from './presented-form.ts';

type Props = ListProps & { form: ManifestForm };

const foldClass = 'cursor-pointer px-4 py-2.5 text-sm font-medium text-muted hover:text-ink';

/** Inputs as presented by the manifest of the repository: its groups, order and labels. */
export function ManifestInputList({ form, inputs, isOpen, onOpen, ...row }: Props) {
  const t = useText();
  const localized = useLocalized();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const matches = ({ declared, presentation }: Input) =>
    `${declared.name} ${presentation ? `${localized(presentation.label)} ${presentation.helper ? localized(presentation.helper) : ''}` : ''}`
      .toLowerCase()
      .includes(wanted);
  const shown = wanted === '' ? inputs : inputs.filter(matches);
  const { plain, groups, advanced } = sectionsOf(form, shown);
  return (
    <div className="divide-y divide-line">
      {inputs.length >= searchFrom && <InputSearch text={search} onChange={setSearch} />}
      {wanted !== '' && shown.length === 0 && <NoMatch />}
      {plain.length > 0 && <InputRows inputs={plain} form={form} {...row} />}
      {groups.map(({ group, inputs: members }) => (
        <fieldset key={group.id} className="min-w-0">
          <legend className="float-left flex w-full flex-wrap items-center gap-2 px-4 pt-3.5 font-semibold">
            {visibleText(localized(group.label))}
            {group.optional && <Pill>{t('input.groupOptional')}</Pill>}
          </legend>
          <div className="clear-both">
            <InputRows inputs={members} form={form} {...row} />
          </div>
        </fieldset>
      ))}
      {advanced.length > 0 && (
        <details open={isOpen || wanted !== ''} onToggle={(event) => wanted === '' && onOpen(event.currentTarget.open)}>
          <summary className={foldClass}>{t('input.advanced', { count: advanced.length })}</summary>
          <InputRows inputs={advanced} form={form} {...row} />
        </details>
      )}
      <ProvidedInputs form={form} />
    </div>
  );
}

/** Inputs whose values are provided without asking. */
function ProvidedInputs({ form }: { form: ManifestForm }) {
  const t = useText();
  const localized = useLocalized();
  const providedFields = form.fields.filter((field) => !isUserInput(field));
  if (providedFields.length === 0) return null;
  return (
    <details open={providedFields.length <= 4} className="text-sm">
      <summary className={foldClass}>{t('input.given', { count: providedFields.length })}</summary>
      <dl className="grid gap-x-4 gap-y-2 px-4 pb-3.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        {providedFields.map((field) => (
          <div key={field.name} className="contents" data-given={field.name}>
            <dt className="min-w-0 break-words">
              {visibleText(localized(field.label))}
              {localized(field.label) !== field.name && (
                <code className="ml-1.5 text-xs break-all text-muted">{field.name}</code>
              )}
            </dt>
            <dd className="min-w-0 break-words text-muted">
              {t(`input.given.${giverOf(form, field)}`)}
              {field.defaultValue?.source === 'literal' && !field.secret && (
                <code className="ml-1.5 break-all">{visibleText(shortJson(field.defaultValue.value))}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const longest = 120;
function shortJson(value: unknown): string {
  const text = writeJson(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
