import { useEffect, useId, useRef, useState } from 'react';
import { type Capsule, CapsuleLabel, maxLabels } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useMay } from '../../../api/role.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { Labels } from '../../../components/labels.tsx';
import { useText } from '../../../i18n/text.ts';
import { inputClass, Labelled, quietClass } from '../../../ui/controls.tsx';

/** Labels of a Capsule. An owner or admin edits them. */
export function LabelSetting({ capsule, canChange }: { capsule: Capsule; canChange: boolean }) {
  const t = useText();
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  const { labels = [] } = capsule;
  if (isEditing) return <LabelForm capsule={capsule} onEnd={() => setEditing(false)} />;
  return (
    <>
      {labels.length === 0 ? <span className="mr-2 text-muted">{t('labels.none')}</span> : <Labels labels={labels} />}
      {canChange && may('updateCapsule') && (
        <button type="button" className={`${quietClass} -ml-1.5`} onClick={() => setEditing(true)}>
          {t(labels.length === 0 ? 'labels.add' : 'labels.edit')}
        </button>
      )}
    </>
  );
}

/** Labels in a text, in the order of typing. */
const labelsIn = (text: string): string[] => [...new Set(text.split(/[\s,、]+/).filter((label) => label !== ''))];

function LabelForm({ capsule: { id, labels = [] }, onEnd }: { capsule: Capsule; onEnd: () => void }) {
  const t = useText();
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const [text, setText] = useState(labels.join(', '));
  const [problem, setProblem] = useState<string>();
  const save = useIntent(async (keyOf, wanted: string[]) => {
    await api.updateCapsule({ params: { capsuleId: id }, body: { labels: wanted } }, keyOf(wanted.join()));
    invalidateRecord({ kind: 'capsule', id });
    onEnd();
  });
  const submit = () => {
    const wanted = labelsIn(text);
    const wrong = wanted.find((label) => !CapsuleLabel.safeParse(label).success);
    if (wrong !== undefined) return setProblem(t('labels.wrong', { label: wrong }));
    if (wanted.length > maxLabels) return setProblem(t('labels.many', { max: maxLabels }));
    setProblem(undefined);
    void save.run(wanted);
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Labelled id={field} label={t('labels.title')} help={t('labels.help')} problem={problem}>
        <input
          id={field}
          ref={input}
          className={inputClass}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          aria-invalid={problem !== undefined}
          aria-describedby={`${field}-help`}
          disabled={save.isBusy}
          onChange={({ target }) => setText(target.value)}
        />
      </Labelled>
      <FormEnd save={save} label={t('save')} onCancel={onEnd} />
    </form>
  );
}
