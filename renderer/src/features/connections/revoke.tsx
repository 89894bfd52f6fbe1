import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { api } from '../../api/client.ts';
import { boundCapsulesQuery, sourcesOfConnectionQuery } from '../../api/connections.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { connectionName } from '../../components/repository-access.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useHolders } from './holders.ts';
import { type PurposeKind, purposeKindOf } from './texts.ts';

/** Revokes a Connection, after a dialog that describes the effect and the affected Capsules. */
export function RevokeConnection({ connection }: { connection: Connection }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { id } = connection;
  const revoke = useIntent(async (keyOf) => {
    await api.revokeConnection({ params: { connectionId: id } }, keyOf('revoke'));
    setOpen(false);
    invalidateRecord({ kind: 'connection', id });
  });
  const close = () => {
    revoke.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('connection.revoke')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('connection.revoke.title', { name: connectionName(connection) })}
        action={t('connection.revoke')}
        busy={revoke.isBusy}
        error={revoke.error}
        onConfirm={() => void revoke.run()}
      >
        <Consequences connection={connection} />
      </Confirm>
    </>
  );
}

const validTexts: Readonly<Record<PurposeKind, TextId>> = {
  provider: 'connection.revoke.provider',
  git: 'connection.revoke.host',
  registry: 'connection.revoke.registry',
  storage: 'connection.revoke.storage',
};

function Consequences({ connection }: { connection: Connection }) {
  const t = useText();
  const sources = useQuery({
    ...sourcesOfConnectionQuery(useWorkspaceId(), connection.id),
    enabled: purposeKindOf(connection) === 'git',
  });
  const capsules = useQuery({ ...boundCapsulesQuery(connection.id), enabled: connection.kind === undefined });
  const bound = (capsules.data ?? []).filter(({ status }) => status !== 'destroyed');
  const holders = useHolders(connection.id);
  return (
    <div className="flex max-h-[50vh] flex-col gap-2 overflow-auto">
      <p>{t('connection.revoke.text')}</p>
      <p>{t(validTexts[purposeKindOf(connection)])}</p>
      {bound.length > 0 && (
        <div>
          <p>{t('connection.revoke.capsules', { count: bound.length })}</p>
          <ul className="list-disc pl-5">
            {bound.map((one) => (
              <li key={one.capsuleId} className="break-words">
                {visibleText(one.name)} ({one.environment})
              </li>
            ))}
          </ul>
          <p>{t('connection.revoke.queued')}</p>
        </div>
      )}
      {capsules.isError && <p>{t('connection.revoke.capsulesUnknown')}</p>}
      {sources.data && sources.data.length > 0 && (
        <div>
          <p>{t('connection.revoke.sources', { count: sources.data.length })}</p>
          <ul className="list-disc pl-5">
            {sources.data.map((one) => (
              <li key={one.id} className="break-words">
                {visibleText(one.name)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {holders.data && holders.data.length > 0 && (
        <div>
          <p>{t('connection.revoke.runs', { count: holders.data.length })}</p>
          <ul className="list-disc pl-5">
            {holders.data.map((runId) => (
              <li key={runId}>
                <ShortId id={runId} what="Run" length={14} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {holders.isError && <p>{t('connection.revoke.unknown')}</p>}
    </div>
  );
}
