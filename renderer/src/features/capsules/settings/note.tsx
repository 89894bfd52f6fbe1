import { useState } from 'react';
import { type Capsule, maxNoteLength } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useMay } from '../../../api/role.ts';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { TextForm } from './text-form.tsx';

/** The note for colleagues. An owner or admin edits it; an empty text removes it. */
export function NoteSetting({ capsule: { id, note = '' }, canChange }: { capsule: Capsule; canChange: boolean }) {
  const t = useText();
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <NoteForm id={id} note={note} onEnd={() => setEditing(false)} />;
  return (
    <>
      {note === '' ? (
        <span className="mr-2 text-muted">{t('capsule.note.none')}</span>
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
  return (
    <TextForm
      label={t('capsule.note.label')}
      help={t('capsule.note.help')}
      text={note}
      maxLength={maxNoteLength}
      onSave={async (text, keyOf) => {
        const next = text.trim();
        await api.updateCapsule({ params: { capsuleId: id }, body: { note: next } }, keyOf(next));
        invalidateRecord({ kind: 'capsule', id });
      }}
      onEnd={onEnd}
    />
  );
}
