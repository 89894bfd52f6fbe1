import { useId, useRef, useState } from 'react';
import type { useIntent } from '../../api/intent.ts';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';

type Props = {
  initial?: string;
  save: ReturnType<typeof useIntent<[name: string], unknown>>;
  label: string;
  onCancel: () => void;
};

/** Form with the name of a pool. */
export function PoolNameForm({ initial = '', save, label, onCancel }: Props) {
  const t = useText();
  const field = useId();
  const [name, setName] = useState(initial);
  const [isChecked, setIsChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isMissing = name.trim() === '';
  const problem = isChecked && isMissing ? t('runners.name.missing') : undefined;
  return (
    <form
      ref={form}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setIsChecked(true);
        if (isMissing) focusInvalid(form.current);
        else void save.run(name.trim());
      }}
    >
      <Labelled id={field} label={t('runners.name')} help={t('runners.name.help')} problem={problem}>
        <input
          id={field}
          autoComplete="off"
          maxLength={64}
          className={inputClass}
          value={name}
          disabled={save.isBusy}
          aria-invalid={problem !== undefined}
          aria-describedby={`${field}-help`}
          onChange={({ target }) => {
            setName(target.value);
            save.reset();
          }}
        />
      </Labelled>
      <FormEnd save={save} label={label} onCancel={onCancel} />
    </form>
  );
}
