import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Copy } from '#shared/copies/contract';
import { copyUrl } from '#shared/sources/copy-address';
import { copyQuery } from '../../api/copies.ts';
import { requestInspection } from '../../api/requested-inspection.ts';
import { useMay } from '../../api/role.ts';
import { Allowed } from '../../components/allowed.tsx';
import { PageError } from '../../components/page-error.tsx';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { addressText, webAddress } from '../../ui/address.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { OuterLink } from '../../ui/json-value.tsx';
import { FolderName, Lane } from '../../ui/lane.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { DeleteCopy } from './delete-copy.tsx';
import { CopyStatus } from './page.tsx';
import { CopyRevisions } from './revisions.tsx';
import { Updates } from './updates.tsx';

/** Page of an installable copy: its origin, its updates and its revisions. */
export function CopyPage({ id }: { id: string }) {
  const copy = useQuery(copyQuery(id));
  if (copy.isPending) return <Skeleton lines={6} />;
  if (!copy.data) return <PageError error={copy.error} onAgain={() => void copy.refetch()} />;
  return <CopyView key={id} copy={copy.data} />;
}

function CopyView({ copy }: { copy: Copy }) {
  const t = useText();
  return (
    <>
      <PageTitle
        title={visibleText(copy.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            {t('copies.one')} <CopyStatus copy={copy} />
          </span>
        }
        actions={<Actions copy={copy} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Updates copy={copy} />
          <CopyRevisions copy={copy} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AboutCopy copy={copy} />
          {copy.currentRevisionId !== undefined && <Download copyId={copy.id} />}
        </div>
      </div>
    </>
  );
}

function Actions({ copy }: { copy: Copy }) {
  const t = useText();
  const may = useMay();
  const url = copyUrl(copy.id);
  return (
    <>
      <Link to="/copies" className={buttonClass()}>
        {t('copy.back')}
      </Link>
      <Allowed to="deleteCopy">
        <DeleteCopy copy={copy} />
      </Allowed>
      {copy.sourceId !== undefined && may('createInstallPlan') && (
        <Link to="/new" search={{ url }} onClick={() => requestInspection(url)} className={buttonClass('primary')}>
          {t('copies.install')}
        </Link>
      )}
    </>
  );
}

function AboutCopy({ copy: { id, upstream, modulePath, sourceId, createdAt, createdBy } }: { copy: Copy }) {
  const t = useText();
  const who = useWho();
  const { url, ref, path } = upstream;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('copy.about')}</h2>
      <Facts
        items={[
          {
            term: t('copy.upstream'),
            value: webAddress(url) ? <OuterLink href={url} /> : <span className="break-all">{addressText(url)}</span>,
          },
          { term: 'Ref', value: <Lane of={{ ref, path }} /> },
          {
            term: t('copy.module'),
            value: modulePath === undefined ? t('copies.allModules') : <FolderName path={modulePath} />,
          },
          ...(sourceId === undefined
            ? []
            : [
                {
                  term: t('copy.source'),
                  value: (
                    <Link to="/sources/$id" params={{ id: sourceId }} className="text-accent hover:underline">
                      <code>{sourceId.slice(0, 14)}</code>
                    </Link>
                  ),
                },
              ]),
          {
            term: t('copy.created'),
            value: (
              <>
                <Since at={createdAt} /> · {who(createdBy)}
              </>
            ),
          },
          { term: 'ID', value: <ShortId id={id} what="ID" length={14} /> },
        ]}
      />
    </Card>
  );
}

function Download({ copyId }: { copyId: string }) {
  const t = useText();
  return (
    <Allowed to="downloadCopy">
      <Card className="flex flex-col items-start gap-2 p-4">
        <a href={`/api/v1/copies/${copyId}/repository`} download={`${copyId}.git.tar`} className={buttonClass()}>
          {t('copy.download')}
        </a>
        <p className="text-sm text-muted">{t('copy.download.help')}</p>
      </Card>
    </Allowed>
  );
}
