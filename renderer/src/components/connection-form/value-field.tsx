import { type ClipboardEvent, useId, useState } from 'react';
import { useRecipeText } from '../../i18n/recipe-text.ts';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled, quietClass, SecretInput, TextArea } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { keyOf } from './draft.ts';
import type { MaterialField } from './fields.ts';
import { useProblemText } from './form-problem.tsx';
import type { FormScope } from './form-state.ts';

type Props = { field: MaterialField; scope: FormScope };

/** Input for one value of the recipe, masked while typing when it is a secret. */
export function ValueField({ field, scope: { draft, problems, change } }: Props) {
  const id = useId();
  const formatProblem = useProblemText();
  const { name, placeholder, isSecret } = field;
  const label = useRecipeText()(field.label).text;
  const value = draft.values[name] ?? '';
  const problem = formatProblem(problems[keyOf.value(name)]);
  return (
    <Labelled
      id={id}
      label={visibleText(label)}
      problem={problem}
      help={<code className="font-mono text-xs">{visibleText(name)}</code>}
    >
      <ValueInput
        id={id}
        what={label}
        value={value}
        isSecret={isSecret}
        startsLong={field.isLong}
        placeholder={placeholder}
        isWrong={problem !== undefined}
        onText={(text) => change({ values: { ...draft.values, [name]: text } })}
      />
    </Labelled>
  );
}

type InputProps = {
  id: string;
  what: string;
  value: string;
  isSecret: boolean;
  startsLong?: boolean;
  placeholder?: string | undefined;
  isWrong: boolean;
  onText: (text: string) => void;
};

/** A control that becomes multi-line when such a text is pasted, and reports leading or trailing spaces. */
export function ValueInput({
  id,
  what,
  value,
  isSecret,
  startsLong = false,
  placeholder,
  isWrong,
  onText,
}: InputProps) {
  const [isLong, setLong] = useState(startsLong);
  const onPaste = (event: ClipboardEvent<HTMLElement>) => {
    const text = event.clipboardData.getData('text');
    if (isLong || value !== '' || !/\S[\r\n]+\S/.test(text)) return;
    event.preventDefault();
    setLong(true);
    onText(text);
  };
  const shared = {
    id,
    value,
    placeholder,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': `${id}-help`,
    onPaste,
  };
  return (
    <>
      {isSecret ? (
        <SecretInput {...shared} isLong={isLong} what={visibleText(what)} onText={onText} />
      ) : isLong ? (
        <TextArea {...shared} autoComplete="off" onChange={(event) => onText(event.target.value)} />
      ) : (
        <input
          {...shared}
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={`${inputClass} font-mono`}
          onChange={(event) => onText(event.target.value)}
        />
      )}
      {!isLong && value !== value.trim() && value.trim() !== '' && <Blanks onTake={() => onText(value.trim())} />}
    </>
  );
}

function Blanks({ onTake }: { onTake: () => void }) {
  const t = useText();
  return (
    <p role="status" className="mt-1 text-sm text-warn">
      {t('form.blanks')}{' '}
      <button type="button" className={quietClass} onClick={onTake}>
        {t('form.blanks.take')}
      </button>
    </p>
  );
}
