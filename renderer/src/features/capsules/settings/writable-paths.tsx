import { useId, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useRole } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Labelled, quietClass, TextArea } from '../../../ui/controls.tsx';
import { PathList } from '../../../ui/path-list.tsx';

/** Folders outside its own that a Capsule may write to. An owner edits them, one per line. */
export function WritablePaths({ capsule: { id, writablePaths = [] } }: { capsule: Capsule }) {
  const t = useText();
  const role = useRole();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <PathsForm id={id} paths={writablePaths} onEnd={() => setEditing(false)} />;
  return (
    <>
      {writablePaths.length === 0 ? (
        <span className="text-muted">{t('capsule.writable.none')}</span>
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
  const field = useId();
  const [text, setText] = useState(paths.join('\n'));
  const save = useIntent(async (keyOf, writablePaths: string[]) => {
    await api.updateCapsule(
      { params: { capsuleId: id }, body: { writablePaths } },
      keyOf(JSON.stringify(writablePaths)),
    );
    invalidateRecord({ kind: 'capsule', id });
    onEnd();
  });
  const submit = () =>
    void save.run(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    );
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Labelled id={field} label={t('capsule.writable.label')} help={t('capsule.writable.help')}>
        <TextArea
          id={field}
          autoFocus
          value={text}
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
