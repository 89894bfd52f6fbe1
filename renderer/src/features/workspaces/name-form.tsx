import { type ComponentProps, type FormEvent, useId, useRef, useState } from 'react';
import { DisplayName } from '#shared/kernel/scalars';
import { type Keys, useIntent } from '../../api/intent.ts';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';

/** A trimmed name and the short name for URLs. */
type Named = { name: string; slug: string };
type Props = {
  texts: { slug: TextId; help?: TextId; wrong: TextId; make: TextId };
  isNameOptional?: boolean;
  /** Derives the short name from a name until the user edits the short name. */
  follow: (name: string) => string;
  isSlug: (slug: string) => boolean;
  /** Creates it. Errors that it throws are shown. */
  make: (named: Named, keyOf: Keys) => Promise<void>;
  onCancel: () => void;
  className: string;
};

/** Form for a name and the short name derived from it. */
export function NameForm({ texts, isNameOptional = false, follow, isSlug, make, onCancel, className }: Props) {
  const t = useText();
  const [text, setText] = useState('');
  const [typed, setTyped] = useState<string>();
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const name = text.trim();
  const slug = typed ?? follow(text);
  const isNameRight = (isNameOptional && name === '') || DisplayName.safeParse(name).success;
  const creation = useIntent((keyOf) => make({ name, slug }, keyOf));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isNameRight && isSlug(slug)) void creation.run();
    else focusInvalid(form.current);
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className={`flex flex-col ${className}`}>
      <Line
        label={t('workspaces.name')}
        problem={isChecked && !isNameRight ? t('workspaces.name.wrong') : undefined}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Line
        label={t(texts.slug)}
        help={texts.help && t(texts.help)}
        problem={isChecked && !isSlug(slug) ? t(texts.wrong) : undefined}
        spellCheck={false}
        value={slug}
        onChange={({ target }) => setTyped(target.value)}
      />
      <FormEnd save={creation} label={t(texts.make)} onCancel={onCancel} />
    </form>
  );
}

type LineProps = ComponentProps<'input'> & { label: string; help?: string | undefined; problem: string | undefined };

function Line({ label, help, problem, ...input }: LineProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} problem={problem}>
      <input
        {...input}
        id={id}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        className={inputClass}
      />
    </Labelled>
  );
}
