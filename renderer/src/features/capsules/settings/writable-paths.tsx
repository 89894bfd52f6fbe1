import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useRole } from '../../../api/role.ts';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { PathList } from '../../../ui/path-list.tsx';
import { TextForm } from './text-form.tsx';

/** Folders outside its own that a Capsule may write to. An owner edits them, one per line. */
export function WritablePaths({ capsule: { id, writablePaths = [] } }: { capsule: Capsule }) {
  const t = useText();
  const role = useRole();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <PathsForm id={id} paths={writablePaths} onEnd={() => setEditing(false)} />;
  return (
    <>
      {writablePaths.length === 0 ? (
        <span className="mr-2 text-muted">{t('capsule.writable.none')}</span>
      ) : (
        <PathList paths={writablePaths} />
      )}
      {(role === undefined || role === 'owner') && (
        <button type="button" className={`${quietClass} -ml-1.5`} onClick={() => setEditing(true)}>
          {t('capsule.writable.change')}
        </button>
      )}
    </>
  );
}

type FormProps = { id: string; paths: readonly string[]; onEnd: () => void };

function PathsForm({ id, paths, onEnd }: FormProps) {
  const t = useText();
  return (
    <TextForm
      label={t('capsule.writable.label')}
      help={t('capsule.writable.help')}
      text={paths.join('\n')}
      onSave={async (text, keyOf) => {
        const writablePaths = pathsIn(text);
        const body = { writablePaths };
        await api.updateCapsule({ params: { capsuleId: id }, body }, keyOf(JSON.stringify(writablePaths)));
        invalidateRecord({ kind: 'capsule', id });
      }}
      onEnd={onEnd}
    />
  );
}

const pathsIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
