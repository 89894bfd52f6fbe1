import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { connectionQuery } from '../../api/connections.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { connectionName, RepositoryAccess } from '../../components/repository-access.tsx';
import { connectionStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { quietClass } from '../../ui/controls.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card } from '../../ui/surface.tsx';

/** Assigns another Connection, or none, to a Source from its next sync on. */
function useAccess(source: Source, onDone: () => void) {
  return useIntent(async (keyOf, authConnectionId: string | null) => {
    await api.updateSource(
      { params: { sourceId: source.id }, body: { authConnectionId } },
      keyOf(String(authConnectionId)),
    );
    invalidateRecord({ kind: 'source', id: source.id });
    onDone();
  });
}

/** Git access of a Source: public, or through a Connection. It can be changed and removed here. */
export function SourceAccess({ source }: { source: Source }) {
  const t = useText();
  const [isChanging, setChanging] = useState(false);
  const change = useAccess(source, () => setChanging(false));
  const may = useMay();
  const { authConnectionId } = source;
  if (isChanging)
    return (
      <RepositoryAccess
        url={source.url}
        currentId={authConnectionId}
        use={t('access.use')}
        busy={change.isBusy}
        error={change.error}
        onUse={(connectionId) => void change.run(connectionId)}
        onCancel={() => {
          change.reset();
          setChanging(false);
        }}
      />
    );
  return (
    <div className="flex flex-col gap-1">
      {authConnectionId === undefined ? <span>{t('access.none')}</span> : <UsedConnection id={authConnectionId} />}
      {!source.url.startsWith('file:') && may('updateSource') && (
        <span className="flex flex-wrap gap-1">
          <button type="button" className={`${quietClass} -ml-1.5`} onClick={() => setChanging(true)}>
            {t(authConnectionId === undefined ? 'access.add' : 'access.change')}
          </button>
          {authConnectionId !== undefined && (
            <button
              type="button"
              className={quietClass}
              disabled={change.isBusy}
              aria-busy={change.isBusy}
              onClick={() => void change.run(null)}
            >
              {t('access.remove')}
            </button>
          )}
        </span>
      )}
      {change.error !== undefined && <ErrorNote error={change.error} />}
    </div>
  );
}

function UsedConnection({ id }: { id: string }) {
  const { data } = useQuery(connectionQuery(useWorkspaceId(), id));
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Link to="/connections/$id" params={{ id }} className="min-w-0 break-words text-accent hover:underline">
        {connectionName(data ?? { id })}
      </Link>
      {data && <StatusBadge statusText={connectionStatusTexts[data.status]} />}
    </span>
  );
}

/** Asks for a token after a sync that the host refused, and syncs again with it. */
export function AccessPrompt({ source, onUsed }: { source: Source; onUsed: () => void }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const change = useAccess(source, () => {
    setOpen(false);
    onUsed();
  });
  const hasToken = source.authConnectionId !== undefined;
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t(hasToken ? 'access.refused.title' : 'access.title')}</h2>
      <p className="mt-1 mb-3 text-muted">{t(hasToken ? 'access.refused.text' : 'access.text')}</p>
      {isOpen ? (
        <RepositoryAccess
          url={source.url}
          currentId={source.authConnectionId}
          isRefused={hasToken}
          use={t('access.trySync')}
          busy={change.isBusy}
          error={change.error}
          onUse={(connectionId) => void change.run(connectionId)}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <Button onClick={() => setOpen(true)}>{t('access.open')}</Button>
      )}
    </Card>
  );
}
