import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { isRelativePath } from '#shared/relative-path';
import { type CodeHost, codeHosts } from '#shared/sources/code-host';
import type { Source } from '#shared/sources/contract';
import { isGitRef } from '#shared/sources/git-address';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { FormEnd } from '../../components/form-end.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';
import { codeHostName } from './code-host-name.ts';

type Field = 'name' | 'defaultRef' | 'defaultPath';
type Draft = Record<Field, string>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const nameShape = /^[^\u0000-\u001f\u007f]{1,120}$/;
const fields: { name: Field; label: TextId; wrong: TextId; isRight: (text: string) => boolean }[] = [
  { name: 'name', label: 'source.name', wrong: 'source.name.wrong', isRight: (text) => nameShape.test(text) },
  { name: 'defaultRef', label: 'source.ref', wrong: 'source.ref.wrong', isRight: isGitRef },
  { name: 'defaultPath', label: 'source.path', wrong: 'source.path.wrong', isRight: isRelativePath },
];

/** Renames a Source or changes its ref and path for later syncs. Its address stays. */
export function EditSource({ source, onDone }: { source: Source; onDone: () => void }) {
  const t = useText();
  const { name, defaultRef, defaultPath } = source;
  const [draft, setDraft] = useState<Draft>({ name, defaultRef, defaultPath });
  const [codeHost, setCodeHost] = useState(source.codeHost);
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const save = useIntent(async (keyOf) => {
    const body = {
      name: draft.name.trim(),
      defaultRef: draft.defaultRef.trim(),
      defaultPath: draft.defaultPath.trim(),
      codeHost,
    };
    await api.updateSource({ params: { sourceId: source.id }, body }, keyOf(JSON.stringify(body)));
    invalidateRecord({ kind: 'source', id: source.id });
    onDone();
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const wrongOf = ({ name: field, isRight }: (typeof fields)[number]) => isChecked && !isRight(draft[field].trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const wrong = fields.find(({ name: field, isRight }) => !isRight(draft[field].trim()));
    if (!wrong) return void save.run();
    form.current?.querySelector<HTMLInputElement>(`[name=${wrong.name}]`)?.focus();
  };
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('source.edit.title')}</h2>
      <form
        ref={form}
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
        className="flex flex-col gap-3 p-4"
      >
        {fields.map((field) => (
          <TextField
            key={field.name}
            name={field.name}
            label={t(field.label)}
            value={draft[field.name]}
            wrong={wrongOf(field) ? t(field.wrong) : undefined}
            onChange={(text) => setDraft({ ...draft, [field.name]: text })}
          />
        ))}
        <CodeHostField value={codeHost} onChange={setCodeHost} />
        <FormEnd save={save} label={t('save')} onCancel={onDone} />
      </form>
    </Card>
  );
}

/** Kind of the code host, for links to its pages. */
function CodeHostField({ value, onChange }: { value: CodeHost; onChange: (value: CodeHost) => void }) {
  const t = useText();
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs text-muted">
        {t('code.host.term')}
      </label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(codeHosts.find((host) => host === target.value) ?? 'none')}
        className="min-h-9 rounded-md border border-line-strong/60 bg-card px-3 py-1.5"
      >
        {codeHosts.map((host) => (
          <option key={host} value={host}>
            {codeHostName(host) ?? t('code.host.none')}
          </option>
        ))}
      </select>
      <p id={`${id}-help`} className="text-xs text-muted">
        {t('code.host.help')}
      </p>
    </div>
  );
}

type TextFieldProps = {
  name: Field;
  label: string;
  value: string;
  wrong: string | undefined;
  onChange: (text: string) => void;
};

function TextField({ name, label, value, wrong, onChange }: TextFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <input
        id={id}
        name={name}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : `${id}-wrong`}
        onChange={({ target }) => onChange(target.value)}
        className="min-h-9 rounded-md border border-line-strong/60 bg-card px-3 py-1.5 aria-invalid:border-bad"
      />
      {wrong !== undefined && (
        <p id={`${id}-wrong`} className="text-xs text-bad">
          {wrong}
        </p>
      )}
    </div>
  );
}
