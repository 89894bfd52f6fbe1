import { writeJson } from '#shared/kernel/exact-number';
import { useText } from '../../i18n/text.ts';
import { inputClass, quietClass } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useControl } from './control.ts';
import { type Draft, prettyJson } from './draft.ts';
import { DraftControl } from './draft-controls.tsx';
import { type Entry, type Input, isSecret, startDraft, viewOf } from './entry.ts';

type Props = {
  input: Input;
  entry: Entry;
  onDraft: (draft: Draft | undefined) => void;
  /** Starts editing a structure from its default. */
  onStart: () => void;
};

/** Control at the root of an input. Emptied texts count as untouched; only the menu sends an empty text. */
export function InputControl({ input, entry, onDraft, onStart }: Props) {
  const t = useText();
  const { type, declared } = input;
  const view = viewOf(input, entry);
  const draft = entry.draft ?? startOf(input, entry);
  if (type.kind === 'bool' && draft.kind !== 'null') return <RootBool {...{ input, entry, onDraft }} />;
  if (!entry.draft && view === 'fields' && declared.hasDefault && isStructure(draft))
    return <DefaultShown input={input} onStart={onStart} />;
  const fallback = defaultText(input, entry);
  const shownDefault = fallback === undefined ? undefined : t('input.default', { value: fallback });
  const onChange = (changed: Draft) => onDraft(isNothing(changed) ? undefined : changed);
  return (
    <DraftControl
      type={type}
      draft={draft}
      onChange={onChange}
      pointer=""
      depth={0}
      placeholder={
        input.presentation?.placeholder === undefined ? shownDefault : visibleText(input.presentation.placeholder)
      }
    />
  );
}

const isStructure = ({ kind }: Draft): boolean => kind === 'items' || kind === 'pairs' || kind === 'members';
const isNothing = (draft: Draft): boolean => (draft.kind === 'text' || draft.kind === 'json') && draft.text === '';

/** An untouched text control is empty and shows its default as placeholder. */
function startOf(input: Input, entry: Entry): Draft {
  const draft = startDraft(input, viewOf(input, entry));
  return draft.kind === 'text' || draft.kind === 'json' ? { ...draft, text: '' } : draft;
}

/** Returns the default as text for the view; undefined when it is unknown or secret. */
function defaultText(input: Input, entry: Entry): string | undefined {
  const { default: value } = input.declared;
  if (value === undefined || entry.draft?.kind === 'null' || isSecret(input, entry)) return undefined;
  const isPlain = typeof value === 'string' && value !== '' && viewOf(input, entry) !== 'json';
  return visibleText(isPlain ? value.trimEnd() : prettyJson(value));
}

function DefaultShown({ input, onStart }: { input: Input; onStart: () => void }) {
  const t = useText();
  const { name, default: value, sensitive } = input.declared;
  const isKnown = value !== undefined && !sensitive;
  return (
    <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
      <pre className="max-h-40 min-w-0 flex-1 overflow-auto rounded-md border border-dashed border-line bg-raised px-2.5 py-1.5 font-mono text-sm break-words whitespace-pre-wrap text-muted">
        {isKnown ? visibleText(compact(value)) : t('input.ownDefault')}
      </pre>
      <button
        type="button"
        id={`input-${name}`}
        className={`${quietClass} min-h-9`}
        aria-label={`${t('input.change')}: ${name}`}
        onClick={onStart}
      >
        {t('input.change')}
      </button>
    </div>
  );
}

const compact = (value: Exclude<Input['declared']['default'], undefined>): string => {
  const line = writeJson(value);
  return line.length <= 80 ? line : prettyJson(value);
};

function RootBool({ input, entry, onDraft }: Omit<Props, 'onStart'>) {
  const t = useText();
  const { declared } = input;
  const control = useControl('', undefined);
  const value = entry.draft?.kind === 'bool' ? String(entry.draft.value) : '';
  const unset = declared.hasDefault
    ? declared.default === undefined
      ? t('input.ownDefault')
      : t('input.default', { value: String(declared.default) })
    : t('input.choose');
  return (
    <select
      {...control}
      className={`${inputClass} max-w-60`}
      value={value}
      onChange={({ target }) =>
        onDraft(target.value === '' ? undefined : { kind: 'bool', value: target.value === 'true' })
      }
    >
      <option value="">{unset}</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}
