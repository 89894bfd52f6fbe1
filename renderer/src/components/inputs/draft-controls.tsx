import type { ClipboardEvent } from 'react';
import { useText } from '../../i18n/text.ts';
import { inputClass, quietClass, SecretInput, TextArea } from '../../ui/controls.tsx';
import { changeThenFocus } from './change-focus.ts';
import { type DraftProps, useControl } from './control.ts';
import { blankDraft, type Draft } from './draft.ts';
import { useFieldScope } from './field-context.ts';
import { formatPointer } from './read-draft.ts';
import { ItemsControl, MembersControl, PairsControl } from './structure-controls.tsx';

/** Control for a draft; structures contain further controls. */
export function DraftControl(props: DraftProps) {
  const { draft } = props;
  switch (draft.kind) {
    case 'text':
      return <TextControl {...props} draft={draft} />;
    case 'bool':
      return <BoolControl {...props} draft={draft} />;
    case 'json':
      return <JsonControl {...props} draft={draft} />;
    case 'items':
      return <ItemsControl {...props} draft={draft} Nested={DraftControl} />;
    case 'pairs':
      return <PairsControl {...props} draft={draft} Nested={DraftControl} />;
    case 'members':
      return <MembersControl {...props} draft={draft} Nested={DraftControl} />;
    case 'null':
      return <NullControl {...props} draft={draft} />;
  }
}

function TextControl({
  type,
  draft,
  onChange,
  pointer,
  label,
  placeholder,
}: DraftProps<Extract<Draft, { kind: 'text' }>>) {
  const { name, isSecret, isLong, onLong } = useFieldScope();
  const control = useControl(pointer, label);
  const isNumber = type.kind === 'number';
  const setText = (text: string) => onChange({ kind: 'text', text });
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text');
    if (isNumber || !/[\r\n]/.test(pasted.trimEnd())) return;
    event.preventDefault();
    // The multi-line control replaces this one and takes its focus.
    changeThenFocus(() => {
      onLong();
      setText(`${draft.text}${pasted}`);
    }, control.id);
  };
  const what = label ?? name;
  if (isSecret)
    return (
      <SecretInput
        {...control}
        value={draft.text}
        onText={setText}
        isLong={isLong}
        what={what}
        onPaste={isLong ? undefined : onPaste}
        placeholder={placeholder}
      />
    );
  if (!isNumber && (isLong || /\n/.test(`${draft.text}${placeholder ?? ''}`)))
    return (
      <TextArea
        {...control}
        value={draft.text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
      />
    );
  return (
    <input
      {...control}
      className={`${inputClass} ${isNumber ? 'max-w-60 font-mono tabular-nums' : ''}`}
      type="text"
      inputMode={isNumber ? 'decimal' : undefined}
      spellCheck={false}
      autoComplete="off"
      value={draft.text}
      placeholder={placeholder}
      onPaste={onPaste}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function BoolControl({ draft, onChange, pointer, label }: DraftProps<Extract<Draft, { kind: 'bool' }>>) {
  const t = useText();
  const control = useControl(pointer, label);
  return (
    <select
      {...control}
      className={`${inputClass} max-w-60`}
      value={draft.value === undefined ? '' : String(draft.value)}
      onChange={({ target: { value } }) =>
        onChange(value === '' ? { kind: 'bool' } : { kind: 'bool', value: value === 'true' })
      }
    >
      {draft.value === undefined && <option value="">{t('input.choose')}</option>}
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}

function JsonControl({ draft, onChange, pointer, label, placeholder }: DraftProps<Extract<Draft, { kind: 'json' }>>) {
  const { isSecret, name } = useFieldScope();
  const t = useText();
  const control = useControl(
    pointer,
    label ?? t('input.jsonOf', { what: pointer === '' ? name : formatPointer(pointer) }),
    true,
  );
  return (
    <TextArea
      {...control}
      isHidden={isSecret}
      lines={4}
      value={draft.text}
      placeholder={placeholder}
      onChange={(event) => onChange({ kind: 'json', text: event.target.value })}
    />
  );
}

function NullControl({ type, onChange, depth, label }: DraftProps<Extract<Draft, { kind: 'null' }>>) {
  const t = useText();
  const { name } = useFieldScope();
  return (
    <p className="flex min-h-9 items-center gap-2 text-muted">
      <code>null</code>
      <button
        type="button"
        className={quietClass}
        aria-label={`${t('input.setValue')}: ${label ?? name}`}
        onClick={() => onChange(blankDraft(type, depth))}
      >
        {t('input.setValue')}
      </button>
    </p>
  );
}
