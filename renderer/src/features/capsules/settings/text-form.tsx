import { useId, useState } from 'react';
import { type Keys, useIntent } from '../../../api/intent.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { useText } from '../../../i18n/text.ts';
import { Labelled, TextArea } from '../../../ui/controls.tsx';

type Props = {
  label: string;
  help: string;
  text: string;
  maxLength?: number;
  /** Saves the typed text; it stays in the form when that fails. */
  onSave: (text: string, keyOf: Keys) => Promise<void>;
  onEnd: () => void;
};

/** Form of a setting that is a text of several lines. */
export function TextForm({ label, help, text: stored, maxLength, onSave, onEnd }: Props) {
  const t = useText();
  const field = useId();
  const [text, setText] = useState(stored);
  const save = useIntent(async (keyOf, typed: string) => {
    await onSave(typed, keyOf);
    onEnd();
  });
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run(text);
      }}
    >
      <Labelled id={field} label={label} help={help}>
        <TextArea
          id={field}
          autoFocus
          value={text}
          maxLength={maxLength}
          aria-describedby={`${field}-help`}
          disabled={save.isBusy}
          onChange={(event) => setText(event.target.value)}
        />
      </Labelled>
      <FormEnd save={save} label={t('save')} onCancel={onEnd} />
    </form>
  );
}
