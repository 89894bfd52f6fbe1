import { useId, useState } from 'react';
import type { useIntent } from '../../api/intent.ts';
import { FormEnd } from '../../components/form-end.tsx';
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
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void save.run(name.trim());
      }}
    >
      <Labelled id={field} label={t('runners.name')} help={t('runners.name.help')}>
        <input
          id={field}
          autoComplete="off"
          maxLength={64}
          className={inputClass}
          value={name}
          disabled={save.isBusy}
          aria-describedby={`${field}-help`}
          onChange={({ target }) => setName(target.value)}
        />
      </Labelled>
      <FormEnd save={save} label={label} onCancel={onCancel} />
    </form>
  );
}
