import { FileCheck, Upload } from 'lucide-react';
import { type DragEvent, useId, useRef, useState } from 'react';
import { useRecipeText } from '../../i18n/recipe-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Labelled, quietClass, TextArea } from '../../ui/controls.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { type FieldProblem, keyOf, type PickedFile } from './draft.ts';
import type { MaterialField } from './fields.ts';
import { useProblemText } from './form-problem.tsx';
import type { FormScope } from './form-state.ts';
import { pastedFile, type ReadFile, readPickedFile } from './read-file.ts';

type Props = { field: MaterialField; scope: FormScope };

/** A file that the recipe asks for. */
export function FileField({ field, scope: { draft, problems, change } }: Props) {
  const { name } = field;
  const label = useRecipeText()(field.label).text;
  const put = (file: PickedFile | undefined) => {
    const { [name]: _before, ...others } = draft.files;
    change({ files: file ? { ...others, [name]: file } : others });
  };
  return (
    <FileDrop
      label={visibleText(label)}
      pasteName={name.split('/').at(-1) ?? name}
      file={draft.files[name]}
      problem={problems[keyOf.file(name)]}
      onFile={put}
    />
  );
}

type DropProps = {
  label: string;
  /** Name of a pasted text. */
  pasteName: string;
  file: PickedFile | undefined;
  problem: FieldProblem | undefined;
  onFile: (file: PickedFile | undefined) => void;
};

/** Accepts a file by selection, drop or pasted text. Its content is never shown: only its name and size. */
export function FileDrop({ label, pasteName, file, problem, onFile }: DropProps) {
  const id = useId();
  const formatProblem = useProblemText();
  const [refused, setRefused] = useState<FieldProblem>();
  const [isPasting, setPasting] = useState(false);
  const take = (read: ReadFile) => {
    setRefused(read.ok ? undefined : read.problem);
    if (!read.ok) return;
    setPasting(false);
    onFile(read.file);
  };
  const problemText = formatProblem(refused ?? (file ? undefined : problem)) ?? formatProblem(file && problem);
  return (
    <Labelled id={id} label={label} problem={problemText}>
      {file && (
        <Picked
          id={id}
          label={label}
          file={file}
          onRemove={() => {
            onFile(undefined);
            setRefused(undefined);
          }}
        />
      )}
      {!file && isPasting && (
        <Paste
          id={id}
          isWrong={problemText !== undefined}
          onText={(text) => take(pastedFile(pasteName, text))}
          onCancel={() => setPasting(false)}
        />
      )}
      {!file && !isPasting && (
        <DropZone
          id={id}
          label={label}
          isWrong={problemText !== undefined}
          onPick={async (chosen) => take(await readPickedFile(chosen))}
          onPaste={() => {
            setRefused(undefined);
            setPasting(true);
          }}
        />
      )}
    </Labelled>
  );
}

type PickedProps = { id: string; label: string; file: PickedFile; onRemove: () => void };

function Picked({ id, label, file, onRemove }: PickedProps) {
  const t = useText();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line bg-raised px-3 py-2">
      <FileCheck size={16} aria-hidden="true" className="shrink-0 text-good" />
      <span className="min-w-0 flex-1 font-mono text-sm break-all">
        {visibleText(file.name)} <span className="text-muted">{bytesText(file.size)}</span>
      </span>
      <button
        id={id}
        type="button"
        aria-label={`${t('form.file.other')}: ${label}`}
        className={quietClass}
        onClick={onRemove}
      >
        {t('form.file.other')}
      </button>
    </div>
  );
}

type ZoneProps = { id: string; label: string; isWrong: boolean; onPick: (file: File) => void; onPaste: () => void };

function DropZone({ id, label, isWrong, onPick, onPaste }: ZoneProps) {
  const t = useText();
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent, isNow: boolean) => {
    event.preventDefault();
    setOver(isNow);
  };
  const pick = (files: FileList | null) => files?.[0] && onPick(files[0]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the buttons inside do the same
    <div
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false);
        pick(event.dataTransfer.files);
      }}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-dashed px-3 py-3 ${isWrong ? 'border-bad' : 'border-line-strong'} ${isOver ? 'bg-accent-soft' : ''}`}
    >
      <input
        ref={chooser}
        type="file"
        tabIndex={-1}
        aria-hidden="true"
        className="hidden"
        onChange={(event) => {
          pick(event.target.files);
          // Allows the same file to be selected again, and releases the reference to it.
          event.target.value = '';
        }}
      />
      <Button
        id={id}
        aria-label={`${t('form.file.choose')}: ${label}`}
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-help`}
        onClick={() => chooser.current?.click()}
      >
        <Upload size={15} aria-hidden="true" /> {t('form.file.choose')}
      </Button>
      <span className="text-sm text-muted">{t('form.file.drop')}</span>
      <button type="button" className={quietClass} onClick={onPaste}>
        {t('form.file.paste')}
      </button>
    </div>
  );
}

type PasteProps = { id: string; isWrong: boolean; onText: (text: string) => void; onCancel: () => void };

/** Input for the text of a file, masked while it is shown. */
function Paste({ id, isWrong, onText, onCancel }: PasteProps) {
  const t = useText();
  const [text, setText] = useState('');
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        id={id}
        isHidden
        autoFocus
        value={text}
        autoComplete="off"
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={text.trim() === ''} onClick={() => onText(text)}>
          {t('form.file.take')}
        </Button>
        <Button onClick={onCancel}>{t('form.file.instead')}</Button>
      </div>
    </div>
  );
}
