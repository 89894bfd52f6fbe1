import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OptionsLink } from '#shared/sources/install-link';
import { runQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Card, PageTitle } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { InspectionProgress } from '../inspection-progress.tsx';
import { Code, HostWarning } from './host.tsx';
import { OptionsChooser } from './options-chooser.tsx';
import { keepReading, type Reading, readReading, startReading } from './options-document.ts';

/** Review of a link to a document that offers several sources. The document is read on request. */
export function OptionsReview({ link }: { link: OptionsLink }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const [reading, setReading] = useState(() => readReading(link));
  const keep = (next: Reading) => {
    keepReading(next);
    setReading(next);
  };
  const start = useMutation({ mutationFn: () => startReading(workspaceId, link), onSuccess: keep });
  return (
    <>
      <PageTitle
        title={t('options.title')}
        lead={<p className="max-w-prose">{t(reading ? 'options.leadRead' : 'options.lead')}</p>}
      />
      <div className="flex flex-col gap-4">
        <HostWarning hosts={[new URL(link.git).hostname]} />
        {reading ? (
          <Document
            link={link}
            reading={reading}
            isBusy={start.isPending}
            onReading={keep}
            onAgain={() => start.mutate()}
          />
        ) : (
          <ReadPrompt link={link} isBusy={start.isPending} onRead={() => start.mutate()} />
        )}
        {start.isError && <ErrorNote error={start.error} />}
      </div>
    </>
  );
}

function ReadPrompt({ link, isBusy, onRead }: { link: OptionsLink; isBusy: boolean; onRead: () => void }) {
  const t = useText();
  const url = new URL(link.git);
  const ref = link.ref === undefined ? t('options.stable') : <Code>{visibleText(link.ref)}</Code>;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('link.asks')}</h2>
      <Facts
        items={[
          { term: t('link.host'), value: <Code>{url.host}</Code> },
          { term: t('install.repository'), value: <Code>{visibleText(url.pathname)}</Code> },
          { term: t('install.ref'), value: ref },
          { term: t('options.file'), value: <Code>{visibleText(link.path)}</Code> },
        ]}
      />
      <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3">
        <Button variant="primary" busy={isBusy} onClick={onRead}>
          {t('options.read')}
        </Button>
        <Link to="/" className={buttonClass()}>
          {t('link.notNow')}
        </Link>
        <p className="min-w-0 flex-1 basis-52 text-sm text-muted">{t('options.next')}</p>
      </div>
    </Card>
  );
}

type DocumentProps = {
  link: OptionsLink;
  reading: Reading;
  isBusy: boolean;
  onReading: (reading: Reading) => void;
  onAgain: () => void;
};

/** Progress of the document's sync, then the document. */
function Document({ link, reading, isBusy, onReading, onAgain }: DocumentProps) {
  const t = useText();
  const run = useQuery(runQuery(reading.look.syncRunId));
  if (run.isError) return <ErrorNote error={run.error} onAgain={onAgain} />;
  const { status, sourceSnapshotId, resolvedCommit } = run.data ?? {};
  if (status === 'succeeded' && sourceSnapshotId !== undefined && resolvedCommit !== undefined)
    return (
      <>
        <OptionsChooser link={link} reading={reading} snapshot={{ sourceSnapshotId, resolvedCommit }} />
        <div>
          <Button busy={isBusy} onClick={onAgain}>
            {t('options.again')}
          </Button>
        </div>
      </>
    );
  return (
    <>
      <InspectionProgress
        inspection={reading.look}
        run={run.data}
        onInspect={(inspection) => onReading({ ...reading, look: inspection })}
      />
      {(status === 'failed' || status === 'cancelled') && (
        <div>
          <Button busy={isBusy} onClick={onAgain}>
            {t('error.again')}
          </Button>
        </div>
      )}
    </>
  );
}
