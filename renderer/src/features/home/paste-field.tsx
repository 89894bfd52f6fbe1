import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { installLinkSearch } from '#shared/sources/link-address';
import { readPastedAddress } from '#shared/sources/pasted-address';
import { parseSearch } from '../../api/address-search.ts';
import { requestInspection } from '../../api/requested-inspection.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** The field for a Git address. The address is parsed before anything is fetched. */
export function PasteField({ isFirst }: { isFirst: boolean }) {
  const t = useText();
  const navigate = useNavigate();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  // On a first visit the page contains only this field.
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, [isFirst]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const link = installLinkSearch(text);
    if (link !== undefined) return void navigate({ to: '/new', search: parseSearch(link) });
    if (readPastedAddress(text)) {
      requestInspection(text.trim());
      void navigate({ to: '/new', search: { url: text.trim() } });
      return;
    }
    setWrong(true);
    input.current?.focus();
  };
  return (
    <form onSubmit={submit} noValidate>
      <label htmlFor={id} className={isFirst ? 'mb-1.5 block font-medium' : 'sr-only'}>
        {t('home.paste.label')}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          ref={input}
          value={text}
          maxLength={2_048}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={t(isFirst ? 'home.paste.example' : 'home.paste.label')}
          aria-invalid={isWrong}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => {
            setText(target.value);
            setWrong(false);
          }}
          className={`min-w-0 flex-1 basis-64 rounded-md border border-line-strong/60 bg-card px-3 placeholder:text-muted aria-invalid:border-bad ${isFirst ? 'min-h-11 text-base' : 'min-h-9'}`}
        />
        <Button type="submit" variant="primary" className={isFirst ? 'min-h-11 px-5' : ''}>
          {t('home.paste.button')}
        </Button>
      </div>
      <p
        id={`${id}-hint`}
        aria-live="polite"
        className={isWrong ? 'mt-1.5 text-xs text-bad' : 'mt-1.5 text-xs text-muted empty:hidden'}
      >
        {isWrong && t('home.paste.wrong')}
        {!isWrong && isFirst && t('home.paste.hint')}
      </p>
    </form>
  );
}
