import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import type { Input } from './entry.ts';
import { InputRows, type ListProps } from './input-rows.tsx';
import { InputSearch, NoMatch, searchFrom } from './input-search.tsx';

/** Inputs of a module: the required ones first, then the optional ones. */
export function InputList({ inputs, isOpen, onOpen, ...row }: ListProps) {
  const t = useText();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const matches = ({ declared }: Input) =>
    wanted === '' || `${declared.name} ${declared.description ?? ''}`.toLowerCase().includes(wanted);
  const required = inputs.filter(({ isRequired }) => isRequired);
  const optional = inputs.filter(({ isRequired }) => !isRequired);
  const shownRequired = required.filter(matches);
  const shownOptional = optional.filter(matches);
  if (inputs.length === 0) return <p className="px-4 py-3.5 text-muted">{t('input.none')}</p>;
  return (
    <>
      {inputs.length >= searchFrom && <InputSearch text={search} onChange={setSearch} />}
      <InputRows inputs={shownRequired} {...row} />
      {optional.length > 0 && (
        <details
          open={isOpen || wanted !== ''}
          onToggle={(event) => wanted === '' && onOpen(event.currentTarget.open)}
          className={required.length > 0 ? 'border-t border-line' : ''}
        >
          <summary className="cursor-pointer px-4 py-2.5 text-sm font-medium text-muted hover:text-ink">
            {t('input.optional', { count: optional.length })}
          </summary>
          <div className="border-t border-line">
            <InputRows inputs={shownOptional} {...row} />
          </div>
        </details>
      )}
      {wanted !== '' && shownRequired.length + shownOptional.length === 0 && <NoMatch />}
    </>
  );
}
