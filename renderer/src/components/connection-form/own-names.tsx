import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { Help, iconClass, inputClass, Labelled, Problem, quietClass } from '../../ui/controls.tsx';
import { type FileRow, keyOf, type Row } from './draft.ts';
import { FileDrop } from './file-field.tsx';
import { useProblemText } from './form-problem.tsx';
import type { FormScope } from './form-state.ts';
import { ValueInput } from './value-field.tsx';

type Props = { scope: FormScope };

/** Variables and files by the names that the documentation of a provider gives them. */
export function OwnNames({ scope }: Props) {
  const t = useText();
  const formatProblem = useProblemText();
  const { draft, problems, change } = scope;
  const { variables, fileRows } = draft;
  const nextId = useNextId([...variables, ...fileRows]);
  const all = formatProblem(problems['all']);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="font-semibold">{t('form.own')}</legend>
      <Help>{t('form.own.help')}</Help>
      {variables.map((row) => (
        <VariableRow key={row.id} row={row} scope={scope} />
      ))}
      {fileRows.map((row) => (
        <OwnFileRow key={row.id} row={row} scope={scope} />
      ))}
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className={quietClass}
          aria-invalid={all !== undefined || undefined}
          onClick={() => change({ variables: [...variables, { id: nextId(), name: '', value: '' }] })}
        >
          <Plus size={14} aria-hidden="true" /> {t('form.own.variable')}
        </button>
        <button
          type="button"
          className={quietClass}
          onClick={() => change({ fileRows: [...fileRows, { id: nextId(), name: '' }] })}
        >
          <Plus size={14} aria-hidden="true" /> {t('form.own.file')}
        </button>
      </div>
      {all !== undefined && <Problem>{all}</Problem>}
    </fieldset>
  );
}

/** Assigns ids to rows, so that each keeps its position when another one is removed. */
export function useNextId(rows: readonly { id: number }[]): () => number {
  const last = useRef(0);
  last.current = Math.max(last.current, ...rows.map(({ id }) => id), 0);
  return () => {
    last.current += 1;
    return last.current;
  };
}

function VariableRow({ row, scope }: Props & { row: Row }) {
  const t = useText();
  const formatProblem = useProblemText();
  const id = useId();
  const { draft, problems, change } = scope;
  const put = (part: Partial<Row>) =>
    change({ variables: draft.variables.map((one) => (one.id === row.id ? { ...one, ...part } : one)) });
  const problem = formatProblem(problems[keyOf.row('variables', row.id, 'value')]);
  return (
    <div className={ownRowClass}>
      <NameInput
        label={t('form.own.name')}
        value={row.name}
        problem={formatProblem(problems[keyOf.row('variables', row.id, 'name')])}
        onText={(name) => put({ name })}
      />
      <Labelled id={id} label={t('form.own.value')} problem={problem}>
        <ValueInput
          id={id}
          what={row.name === '' ? t('form.own.value') : row.name}
          value={row.value}
          isSecret
          isWrong={problem !== undefined}
          onText={(value) => put({ value })}
        />
      </Labelled>
      <RemoveRow
        what={row.name}
        onRemove={() => change({ variables: draft.variables.filter((one) => one.id !== row.id) })}
      />
    </div>
  );
}

function OwnFileRow({ row, scope }: Props & { row: FileRow }) {
  const t = useText();
  const formatProblem = useProblemText();
  const { draft, problems, change } = scope;
  const put = (part: Partial<FileRow>) =>
    change({ fileRows: draft.fileRows.map((one) => (one.id === row.id ? { ...one, ...part } : one)) });
  return (
    <div className={ownRowClass}>
      <NameInput
        label={t('form.own.fileName')}
        value={row.name}
        problem={formatProblem(problems[keyOf.row('fileRows', row.id, 'name')])}
        onText={(name) => put({ name })}
      />
      <FileDrop
        label={t('form.own.content')}
        pasteName="credentials"
        file={row.file}
        problem={problems[keyOf.row('fileRows', row.id, 'value')]}
        onFile={(file) => put({ file })}
      />
      <RemoveRow
        what={row.name}
        onRemove={() => change({ fileRows: draft.fileRows.filter((one) => one.id !== row.id) })}
      />
    </div>
  );
}

/** A name, its value and a remove button, which moves beside the name on narrow screens. */
export const ownRowClass =
  'grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 max-sm:[&>:nth-child(2)]:col-span-2 max-sm:[&>:last-child]:col-start-2 max-sm:[&>:last-child]:row-start-1 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto]';

type NameProps = {
  label: string;
  value: string;
  problem: string | undefined;
  onText: (text: string) => void;
  suggestions?: readonly string[];
};

/** A name that goes with a value beside it. */
export function NameInput({ label, value, problem, onText, suggestions = [] }: NameProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} problem={problem}>
      <input
        id={id}
        className={`${inputClass} font-mono`}
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        list={suggestions.length > 0 ? `${id}-list` : undefined}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onText(event.target.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

export function RemoveRow({ what, onRemove }: { what: string; onRemove: () => void }) {
  const t = useText();
  return (
    <button
      type="button"
      className={`${iconClass} mt-6.5 self-start`}
      aria-label={t('input.remove', { what: what === '' ? t('form.row') : what })}
      onClick={onRemove}
    >
      <X size={16} aria-hidden="true" />
    </button>
  );
}
