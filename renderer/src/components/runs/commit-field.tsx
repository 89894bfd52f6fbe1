import { useEffect, useId, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { isCommitPrefix } from './search.ts';

type Props = { value: string | undefined; onChange: (commit: string | undefined) => void };

/** Filter by the start of a commit id. It takes effect with Enter or when the field is left. */
export function CommitField({ value, onChange }: Props) {
  const t = useText();
  const hint = useId();
  const [text, setText] = useState(value ?? '');
  const [isWrong, setWrong] = useState(false);
  useEffect(() => setText(value ?? ''), [value]);
  const take = () => {
    const commit = text.trim();
    const isUsable = commit === '' || isCommitPrefix(commit);
    setWrong(!isUsable);
    if (isUsable && commit !== (value ?? '')) onChange(commit === '' ? undefined : commit);
  };
  return (
    <form
      className="min-w-0"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <label>
        <span className="sr-only">{t('runs.commit')}</span>
        <input
          value={text}
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          placeholder={t('runs.commit')}
          aria-invalid={isWrong}
          aria-describedby={hint}
          onChange={({ target }) => {
            setText(target.value);
            setWrong(false);
          }}
          onBlur={take}
          className={`min-h-9 w-36 rounded-md border bg-card px-2 font-mono placeholder:font-sans placeholder:text-muted aria-invalid:border-bad ${value === undefined ? 'border-line-strong/60' : 'border-accent'}`}
        />
      </label>
      <p id={hint} aria-live="polite" className="max-w-36 text-xs text-bad empty:hidden">
        {isWrong && t('runs.commit.wrong')}
      </p>
    </form>
  );
}
