import { Link } from '@tanstack/react-router';
import type { Copy, CopyRevision } from '#shared/copies/contract';
import { copyUrl } from '#shared/sources/copy-address';
import { requestInspection } from '../../api/requested-inspection.ts';
import { useMay } from '../../api/role.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { isUnchanged } from './status.ts';
import { usePrepareRevision } from './use-prepare-revision.ts';

type Props = { copy: Copy; revision: CopyRevision };

/** End of a revision, with the way on. */
export function RevisionResult({ copy, revision }: Props) {
  const t = useText();
  if (revision.status === 'succeeded') return <Done copy={copy} revision={revision} />;
  if (isUnchanged(revision))
    return (
      <Note title={t('copy.unchanged')}>
        <p>{t('copy.unchanged.text')}</p>
        <Again copy={copy} />
      </Note>
    );
  if (revision.status === 'failed')
    return (
      <Note tone="bad" title={t('copy.failed')}>
        {revision.error && (
          <>
            <p lang="en" className="break-words">
              {visibleText(revision.error.message)}
            </p>
            <p className="mt-1 font-mono text-xs text-muted">{visibleText(revision.error.code)}</p>
          </>
        )}
        <Again copy={copy} />
      </Note>
    );
  if (revision.status === 'cancelled')
    return (
      <Note tone="warn" title={t('copy.cancelled')}>
        <p>{t('copy.cancelled.text')}</p>
        <Again copy={copy} />
      </Note>
    );
  return null;
}

function Done({ copy, revision }: Props) {
  const t = useText();
  const may = useMay();
  const url = copyUrl(copy.id);
  const isCurrent = copy.currentRevisionId === revision.id;
  return (
    <Note title={t('copy.done')}>
      <p>{t(isCurrent ? 'copy.done.text' : 'copy.done.old')}</p>
      {copy.sourceId !== undefined && may('createInstallPlan') && (
        <Link
          to="/new"
          search={{ url }}
          onClick={() => requestInspection(url)}
          className={`${buttonClass('primary')} mt-3`}
        >
          {t('copy.continue')}
        </Link>
      )}
    </Note>
  );
}

/** Prepares another revision, or leads to the one that is open. */
function Again({ copy }: { copy: Copy }) {
  const t = useText();
  const again = usePrepareRevision(copy.id);
  if (copy.openRevisionId !== undefined)
    return (
      <Link
        to="/copies/$id/revisions/$revisionId"
        params={{ id: copy.id, revisionId: copy.openRevisionId }}
        className={`${buttonClass()} mt-3`}
      >
        {t('copy.update.open')}
      </Link>
    );
  return (
    <Allowed to="createCopyRevision">
      <Button className="mt-3" busy={again.isBusy} onClick={() => void again.run()}>
        {t('copy.again')}
      </Button>
      {again.error !== undefined && (
        <div className="mt-3">
          <ErrorNote error={again.error} />
        </div>
      )}
    </Allowed>
  );
}
