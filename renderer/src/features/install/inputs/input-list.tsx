import { useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import type { Entries, Entry, Input } from './entry.ts';
import { InputRow } from './input-row.tsx';
import { InputSearch, NoMatch, searchFrom } from './input-search.tsx';

type Props = {
  inputs: readonly Input[];
  entries: Entries;
  isTold: boolean;
  told: Readonly<Record<string, string>>;
  /** The optional inputs are shown too, for one of them is wrong. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (name: string, change: Entry) => void;
};

const untouched: Entry = {};

/** The inputs of a module: what must be answered first, then what may be. */
export function InputList({ inputs, isOpen, onOpen, ...row }: Props) {
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
      <div>
        {shownRequired.map((input) => (
          <Row key={input.declared.name} input={input} {...row} />
        ))}
      </div>
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
            {shownOptional.map((input) => (
              <Row key={input.declared.name} input={input} {...row} />
            ))}
          </div>
        </details>
      )}
      {wanted !== '' && shownRequired.length + shownOptional.length === 0 && <NoMatch />}
    </>
  );
}

type RowProps = Pick<Props, 'entries' | 'isTold' | 'told' | 'onChange'> & { input: Input };

const Row = ({ input, entries, told, isTold, onChange }: RowProps) => (
  <InputRow
    input={input}
    entry={entries[input.declared.name] ?? untouched}
    isTold={isTold}
    told={told[input.declared.name]}
    onChange={onChange}
  />
);
