import { Search } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { inputClass } from '../../ui/controls.tsx';

/** Minimum number of inputs for the search. */
export const searchFrom = 8;

/** Narrows a long list of inputs. */
export function InputSearch({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const t = useText();
  return (
    <div className="relative border-b border-line px-4 py-2.5">
      <Search size={15} aria-hidden="true" className="absolute top-1/2 left-6.5 -translate-y-1/2 text-muted" />
      <input
        type="search"
        className={`${inputClass} pl-8`}
        aria-label={t('input.search')}
        placeholder={t('input.search')}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

export const NoMatch = () => {
  const t = useText();
  return (
    <p role="status" className="px-4 py-3.5 text-muted">
      {t('input.noMatch')}
    </p>
  );
};
