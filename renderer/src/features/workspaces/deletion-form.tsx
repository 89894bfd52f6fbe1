import { type FormEvent, useId, useState } from 'react';
import type { WorkspaceDeletionPreview } from '#shared/workspace-deletions/contract';
import { leaveDeletedWorkspace } from '../../api/chosen-workspace.ts';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';

type Props = { preview: WorkspaceDeletionPreview; onCancel: () => void; onRefused: () => void };

/** The confirmation: each consequence is accepted on its own, and the handle is typed. */
export function DeletionForm({ preview, onCancel, onRefused }: Props) {
  const t = useText();
  const id = useId();
  const { workspaceId, handle, capsulesWithResources, sharesInUse, blockers } = preview;
  const [typed, setTyped] = useState('');
  const [leaves, setLeaves] = useState(false);
  const [endShares, setEndShares] = useState(false);
  const count = capsulesWithResources.length;
  const isAccepted = (leaves || count === 0) && (endShares || sharesInUse.length === 0);
  const isReady = typed.trim() === handle && isAccepted && blockers.length === 0;
  const remove = useIntent(async (keyOf) => {
    const leaveCapsuleIds = capsulesWithResources.map((capsule) => capsule.id);
    const body = { workspaceId, confirmHandle: handle, leaveCapsuleIds, ...(endShares && { endShares }) };
    try {
      await api.deleteWorkspace({ body }, keyOf(JSON.stringify(body)));
    } catch (error) {
      onRefused();
      throw error;
    }
    leaveDeletedWorkspace();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) void remove.run();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {count > 0 && <Accept isChecked={leaves} onChange={setLeaves} text={t('workspace.delete.leave', { count })} />}
      {sharesInUse.length > 0 && (
        <Accept isChecked={endShares} onChange={setEndShares} text={t('workspace.delete.endShares')} />
      )}
      <Labelled id={`${id}-handle`} label={t('workspace.delete.type', { handle })}>
        <input
          id={`${id}-handle`}
          value={typed}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => setTyped(target.value)}
          className={inputClass}
        />
      </Labelled>
      {remove.error !== undefined && <ErrorNote error={remove.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="destructive" busy={remove.isBusy} disabled={!isReady}>
          {t('workspace.delete.do')}
        </Button>
        <Button onClick={onCancel} disabled={remove.isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}

const Accept = (props: { isChecked: boolean; onChange: (isChecked: boolean) => void; text: string }) => (
  <label className="flex items-start gap-2">
    <input
      type="checkbox"
      className="mt-1 size-4 accent-accent"
      checked={props.isChecked}
      onChange={({ target }) => props.onChange(target.checked)}
    />
    {props.text}
  </label>
);
