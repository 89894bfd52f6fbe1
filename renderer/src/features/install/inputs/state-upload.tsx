import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useId, useState } from 'react';
import type { Import } from '#shared/imports/contract';
import { ApiError, api } from '../../../api/client.ts';
import { uploadState } from '../../../api/imports.ts';
import { useIntent } from '../../../api/intent.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { useIsLocalOwner } from '../../../api/vault.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { toolNames } from '../../../components/status-text.ts';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass, Spinner } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { bytesText } from '../../../ui/number-text.ts';
import { PathList } from '../../../ui/path-list.tsx';
import { Note } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

type Props = { value: Import | undefined; onChange: (uploaded: Import | undefined) => void };

/** Upload of the state of a module that was applied elsewhere, for the local owner. */
export function StateUpload({ value, onChange }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  if (!useIsLocalOwner()) return null;
  return (
    <details
      className="border-t border-line px-4 py-3"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer text-sm text-muted">{t('import.open')}</summary>
      <div className="mt-3 flex min-w-0 flex-col gap-3">
        {value ? <Uploaded uploaded={value} onEnd={() => onChange(undefined)} /> : <FileField onUpload={onChange} />}
      </div>
    </details>
  );
}

function FileField({ onUpload }: { onUpload: (uploaded: Import) => void }) {
  const t = useText();
  const id = useId();
  const workspaceId = useWorkspaceId();
  const upload = useIntent(async (_keyOf, file: File) => onUpload(await uploadState(workspaceId, file)));
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    // The same file can be chosen again after a refusal.
    target.value = '';
    if (file) void upload.run(file);
  };
  return (
    <>
      <p className="max-w-prose text-sm text-muted">{t('import.text')}</p>
      <div>
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          {t('import.file')}
        </label>
        <input
          id={id}
          type="file"
          disabled={upload.isBusy}
          aria-describedby={`${id}-help`}
          onChange={choose}
          className="block w-full max-w-full text-sm file:mr-3 file:min-h-9 file:cursor-pointer file:rounded-md file:border file:border-line-strong/50 file:bg-card file:px-3.5 file:py-1.5 file:font-medium file:text-ink"
        />
        <p id={`${id}-help`} role="status" className="mt-1 flex items-center gap-2 text-sm text-muted">
          {upload.isBusy && <Spinner />}
          {t(upload.isBusy ? 'import.uploading' : 'import.help')}
        </p>
      </div>
      {upload.error !== undefined && <ErrorNote error={upload.error} />}
    </>
  );
}

/** Result of the check of an uploaded state, without a value of it. */
function Uploaded({ uploaded, onEnd }: { uploaded: Import; onEnd: () => void }) {
  const t = useText();
  const { state, runId, phase } = uploaded;
  // The built-in provider has the same address in both tools.
  const tool = state.toolName ? toolNames[state.toolName] : t('import.tool');
  return (
    <>
      <section aria-label={t('import.checked')} className="rounded-md border border-line">
        <h3 className="px-4 pt-3 font-medium">{t('import.checked')}</h3>
        <Facts
          items={[
            { term: t('import.resources'), value: t('states.resources', { count: state.resourceCount }) },
            { term: t('import.outputs'), value: t('home.applied.outputs', { count: state.outputCount }) },
            { term: t('import.written'), value: `${tool} ${visibleText(state.toolVersion)}` },
            { term: t('import.serial'), value: state.serial },
            {
              term: t('import.lineage'),
              value: <code className="font-mono text-xs break-all">{visibleText(state.lineage)}</code>,
            },
            { term: t('backups.size'), value: bytesText(state.sizeBytes) },
            ...(state.providers.length > 0
              ? [{ term: t('import.providers'), value: <PathList paths={state.providers} /> }]
              : []),
          ]}
        />
      </section>
      {phase === 'requested' && runId !== undefined && (
        <Note tone="warn">
          <p>{t('import.taken')}</p>
          <Link to="/runs/$id" params={{ id: runId }} className={`${buttonClass()} mt-2`}>
            {t('import.taken.open')}
          </Link>
        </Note>
      )}
      <RemoveUpload uploaded={uploaded} onEnd={onEnd} />
    </>
  );
}

/** Deletes the upload, or only leaves it when a Capsule has it. */
function RemoveUpload({ uploaded: { id, phase }, onEnd }: { uploaded: Import; onEnd: () => void }) {
  const t = useText();
  const remove = useIntent(async (keyOf) => {
    try {
      if (phase === 'uploaded') await api.deleteImport({ params: { importId: id } }, keyOf('delete'));
    } catch (error) {
      // Another tab has deleted it.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    onEnd();
  });
  return (
    <>
      <Button className="self-start" busy={remove.isBusy} onClick={() => void remove.run()}>
        {t('import.remove')}
      </Button>
      {remove.error !== undefined && <ErrorNote error={remove.error} />}
    </>
  );
}
