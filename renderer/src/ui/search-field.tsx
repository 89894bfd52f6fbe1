import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

const pauseMs = 200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

type Props = { label: string; value: string; onSearch: (text: string) => void };

/** A search that reports the text shortly after the last key. `/` focuses it from anywhere, Escape clears it. */
export function SearchField({ label, value, onSearch }: Props) {
  const input = useRef<HTMLInputElement>(null);
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
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <label className="relative block min-w-0 flex-1 basis-full sm:max-w-sm sm:basis-64">
      <span className="sr-only">{label}</span>
      <Search size={15} aria-hidden="true" className="absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        ref={input}
        type="search"
        value={text}
        placeholder={label}
        aria-keyshortcuts="/"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
        className="min-h-9 w-full rounded-md border border-line-strong/60 bg-card py-1.5 pr-3 pl-9 placeholder:text-muted"
      />
    </label>
  );
}
