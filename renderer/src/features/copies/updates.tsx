import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Copy, UpstreamCheck } from '#shared/copies/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useMay } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { usePrepareRevision } from './use-prepare-revision.ts';

/** Looks for a newer commit of the repository and newer packages, and prepares an update. */
export function Updates({ copy }: { copy: Copy }) {
  const t = useText();
  const may = useMay();
  const [result, setResult] = useState<UpstreamCheck>();
  const check = useIntent(async () => {
    setResult(undefined);
    setResult((await api.checkCopyUpstream({ params: { copyId: copy.id } })).body);
  });
  const update = usePrepareRevision(copy.id);
  const { openRevisionId, currentRevisionId } = copy;
  const hasContent = currentRevisionId !== undefined;
  const canUpdate = may('createCopyRevision') && openRevisionId === undefined;
  const canCheck = may('checkCopyUpstream') && hasContent;
  if (!canUpdate && !canCheck && openRevisionId === undefined) return null;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <h2 className="font-semibold">{t('copy.check.title')}</h2>
      <div className="flex flex-wrap gap-2">
        {canCheck && (
          <Button busy={check.isBusy} onClick={() => void check.run()}>
            {t('copy.check')}
          </Button>
        )}
        {openRevisionId !== undefined && (
          <Link
            to="/copies/$id/revisions/$revisionId"
            params={{ id: copy.id, revisionId: openRevisionId }}
            className={buttonClass('primary')}
          >
            {t('copy.update.open')}
          </Link>
        )}
        {canUpdate && (
          <Button
            // A new element instead of a transition of the colors, in which the text is hard to read.
            key={String(result?.hasChanged)}
            variant={result?.hasChanged ? 'primary' : 'plain'}
            busy={update.isBusy}
            onClick={() => void update.run()}
          >
            {t(hasContent ? 'copy.update' : 'copy.again')}
          </Button>
        )}
      </div>
      {check.error !== undefined && <ErrorNote error={check.error} onAgain={() => void check.run()} />}
      {update.error !== undefined && <ErrorNote error={update.error} />}
      {result && <CheckResult result={result} />}
    </Card>
  );
}

function CheckResult({ result: { hasChanged, upstreamCommit, packages } }: { result: UpstreamCheck }) {
  const t = useText();
  if (!hasChanged) return <Note>{t('copy.check.none')}</Note>;
  return (
    <>
      <Note title={t('copy.check.some')}>
        <p className="break-all">{t('copy.check.commit', { commit: upstreamCommit.slice(0, 12) })}</p>
      </Note>
      {packages.length > 0 && (
        <div className="rounded-md border border-line">
          <LongList label={t('copy.check.packages')} items={packages}>
            {({ address, from, to }) => (
              <p className="flex flex-wrap gap-x-3">
                <code className="break-all">{visibleText(address)}</code>
                <span className="break-all text-muted">
                  {visibleText(from)} → {visibleText(to)}
                </span>
              </p>
            )}
          </LongList>
        </div>
      )}
    </>
  );
}
