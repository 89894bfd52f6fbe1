import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Interface } from '#shared/interfaces/contract';
import { wellKnownKindOf } from '#shared/interfaces/well-known';
import { interfaceQuery, openableQuery } from '../../api/interfaces.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { capsuleQuery } from '../../api/records.ts';
import { Allowed } from '../../components/allowed.tsx';
import { useFormResourceName } from '../../components/interfaces/form-resource-name.ts';
import { KindName } from '../../components/interfaces/interface-table.tsx';
import { interfacePhaseTexts, interfaceReasonOf } from '../../components/interfaces/interface-text.ts';
import { OpenApp } from '../../components/interfaces/open-app.tsx';
import { PageError } from '../../components/page-error.tsx';
import { useText } from '../../i18n/text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Connect } from './connect.tsx';
import { RetireInterface } from './retire.tsx';
import { InterfaceUsers } from './users.tsx';
import { InterfaceValues } from './values.tsx';

/** Page of an Interface: how it is reached, who may use it, and where its values come from. */
export function InterfacePage({ id }: { id: string }) {
  const query = useQuery(interfaceQuery(id));
  if (query.isPending) return <Skeleton lines={6} />;
  if (!query.data) return <PageError error={query.error} onAgain={() => void query.refetch()} />;
  return <InterfaceView key={id} shown={query.data} />;
}

function InterfaceView({ shown }: { shown: Interface }) {
  const isRetired = shown.status.phase === 'Retired';
  const isApp = wellKnownKindOf(shown.spec.type) === 'launcher' && shown.status.phase === 'Resolved';
  const openable = useQuery({ ...openableQuery(shown), enabled: isApp });
  const [isRefused, setRefused] = useState(false);
  const onRefused = () => {
    setRefused(true);
    invalidateRecord({ kind: 'interface', id: shown.id });
  };
  return (
    <>
      <PageTitle
        title={visibleText(shown.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            <KindName type={shown.spec.type} /> <StatusBadge statusText={interfacePhaseTexts[shown.status.phase]} />
            <OwnerLink ownerRef={shown.ownerRef} />
          </span>
        }
        actions={
          <>
            {!isRetired && (
              <Allowed to="retireInterface">
                <RetireInterface shown={shown} />
              </Allowed>
            )}
            {isApp && openable.data && <OpenApp app={openable.data} isPrimary onRefused={onRefused} />}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <StateNote shown={shown} />
        {isRefused && <Refused name={shown.name} />}
        {isApp && openable.data === null && <NotAllowed />}
        {shown.status.phase === 'Resolved' && <Connect shown={shown} />}
        {!isRetired && <InterfaceUsers shown={shown} />}
        <InterfaceValues shown={shown} />
      </div>
    </>
  );
}

function Refused({ name }: { name: string }) {
  const t = useText();
  return <Note tone="warn">{t('apps.refused', { name: visibleText(name) })}</Note>;
}

function NotAllowed() {
  const t = useText();
  return <Note>{t('apps.notAllowed')}</Note>;
}

function OwnerLink({ ownerRef: { kind, id } }: Pick<Interface, 'ownerRef'>) {
  if (kind === 'Capsule') return <CapsuleLink id={id} />;
  return kind === 'Resource' ? <OwnerResource id={id} /> : null;
}

function OwnerResource({ id }: { id: string }) {
  const t = useText();
  const name = useFormResourceName(id);
  return (
    <Link
      to="/form-resources/$id"
      params={{ id }}
      className="break-words text-accent underline-offset-2 hover:underline"
    >
      {t('interfaces.of', { name })}
    </Link>
  );
}

function CapsuleLink({ id }: { id: string }) {
  const t = useText();
  const capsule = useQuery(capsuleQuery(id)).data;
  return (
    <Link to="/capsules/$id/interfaces" params={{ id }} className="text-accent underline-offset-2 hover:underline">
      {t('interfaces.of', { name: visibleText(capsule?.name ?? id) })}
    </Link>
  );
}

/** Reason why an Interface cannot be used now, and its remedy. */
function StateNote({ shown }: { shown: Interface }) {
  const t = useText();
  if (shown.status.phase === 'Retired')
    return <Note title={t('interfaces.retired.title')}>{t('interfaces.retired.text')}</Note>;
  const reason = interfaceReasonOf(shown);
  if (!reason) return null;
  return (
    <Note tone="warn" title={t('interfaces.notReady')}>
      <p>{t(reason.text)}</p>
      {reason.message !== undefined && (
        <p lang="en" className="mt-1 break-words text-muted">
          {visibleText(reason.message)}
        </p>
      )}
    </Note>
  );
}
