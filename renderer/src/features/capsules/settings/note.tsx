import { useId, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Labelled, quietClass, TextArea } from '../../../ui/controls.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const longest = 2_000;

/** The note for colleagues. An owner or admin edits it; an empty text removes it. */
export function NoteSetting({ capsule: { id, note = '' }, canChange }: { capsule: Capsule; canChange: boolean }) {
  const t = useText();
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <NoteForm id={id} note={note} onEnd={() => setEditing(false)} />;
  return (
    <>
      {note === '' ? (
        <span className="text-muted">{t('capsule.note.none')}</span>
      ) : (
        <p className="max-w-prose break-words whitespace-pre-wrap">{visibleText(note)}</p>
      )}
      {canChange && may('updateCapsule') && (
        <button type="button" className={`${quietClass} -ml-1.5`} onClick={() => setEditing(true)}>
          {t(note === '' ? 'capsule.note.add' : 'capsule.note.change')}
        </button>
      )}
    </>
  );
}

function NoteForm({ id, note, onEnd }: { id: string; note: string; onEnd: () => void }) {
  const t = useText();
  const field = useId();
  const [text, setText] = useState(note);
  const save = useIntent(async (keyOf, next: string) => {
    await api.updateCapsule({ params: { capsuleId: id }, body: { note: next } }, keyOf(next));
    invalidateRecord({ kind: 'capsule', id });
    onEnd();
  });
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run(text.trim());
      }}
    >
      <Labelled id={field} label={t('capsule.note.label')} help={t('capsule.note.help')}>
        <TextArea
          id={field}
          autoFocus
          value={text}
          maxLength={longest}
          aria-describedby={`${field}-help`}
          disabled={save.isBusy}
          onChange={(event) => setText(event.target.value)}
        />
      </Labelled>
      {save.error !== undefined && <ErrorNote error={save.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={save.isBusy}>
          {t('save')}
        </Button>
        <Button onClick={onEnd} disabled={save.isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}
