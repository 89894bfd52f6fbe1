import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { maxSearchLength } from '#shared/limits';
import { filterKeys, useKeyHelp } from './keys/key-help.ts';
import { moveOnPage } from './keys/row-keys.ts';

const pauseMs = 200;

type Props = { label: string; value: string; onSearch: (text: string) => void };

/** A search that reports the text shortly after the last key. The key `/` of the page focuses it. Escape clears it, and then leaves it; Enter goes to the first row. */
export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  const lastValue = useRef(value);
  const onSearchRef = useRef(onSearch);
  onSearchRef.current = onSearch;

  useEffect(() => {
    // The URL changed by navigation, such as Back.
    if (value !== lastValue.current) setText(value);
    lastValue.current = value;
  }, [value]);
  useEffect(() => {
    if (text === lastValue.current) return;
    const timer = setTimeout(() => {
      lastValue.current = text;
      onSearchRef.current(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  useKeyHelp(filterKeys);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && text !== '') setText('');
    else if (event.key === 'Escape') event.currentTarget.blur();
    else if (event.key !== 'Enter' || !moveOnPage('j', document)) return;
    event.preventDefault();
  };

  return (
    <label className="relative block min-w-0 flex-1 basis-full sm:max-w-sm sm:basis-64">
      <span className="sr-only">{label}</span>
      <Search size={15} aria-hidden="true" className="absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        value={text}
        placeholder={label}
        maxLength={maxSearchLength}
        aria-keyshortcuts="/"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="min-h-9 w-full rounded-md border border-line-strong/60 bg-card py-1.5 pr-3 pl-9 placeholder:text-muted"
      />
    </label>
  );
}
