import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ToolInstall } from '#shared/execution/tool';
import { api, newKey } from '../../api/client.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useToolStatus } from '../../api/runner.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const storedKey = 'install.toolInstall';
const progressMs = 600;

/** Offers to install the pinned tool when a plan would need it on this server. */
export function ToolOffer() {
  const t = useText();
  const [id, setId] = useState(() => sessionStorage.getItem(storedKey));
  const isMissing = useToolStatus() === 'missing';
  const start = useMutation({
    mutationFn: async () => (await api.installTool({}, newKey())).body.toolInstall,
    onSuccess: (install) => {
      sessionStorage.setItem(storedKey, install.id);
      setId(install.id);
    },
  });
  const install = useQuery({
    queryKey: ['tool_install', id],
    queryFn:
      id === null || !isMissing
        ? skipToken
        : async () => (await api.getToolInstall({ params: { toolInstallId: id } })).body.toolInstall,
    retry: false,
    // No event reports the progress of the installation, so it is polled while it runs.
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? progressMs : false),
  });
  const status = install.data?.status;
  useEffect(() => {
    if (status === 'succeeded') void queryClient.invalidateQueries({ queryKey: keys.capabilities });
  }, [status]);
  if (!isMissing) return null;
  const isRunning = start.isPending || status === 'running' || status === 'succeeded';
  return (
    <Note tone="warn" title={t('tool.missing')}>
      <p className="max-w-prose">{t('tool.missingText')}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Allowed to="installTool">
          <Button variant="primary" busy={isRunning} onClick={() => start.mutate()}>
            {t(isRunning ? 'tool.installing' : 'tool.install')}
          </Button>
        </Allowed>
        {install.data && isRunning && <Received install={install.data} />}
      </div>
      {status === 'failed' && (
        <p role="alert" className="mt-2 break-words text-bad">
          {t('tool.failed')} {visibleText(install.data?.error ?? '')}
        </p>
      )}
      {start.isError && (
        <div className="mt-2">
          <ErrorNote error={start.error} />
        </div>
      )}
    </Note>
  );
}

function Received({ install: { receivedBytes, totalBytes } }: { install: ToolInstall }) {
  const t = useText();
  if (receivedBytes === 0) return <p className="text-sm text-muted">{t('tool.preparing')}</p>;
  return (
    <div className="flex min-w-48 flex-1 items-center gap-2 text-sm">
      <progress
        className="h-2 min-w-24 flex-1 accent-accent"
        aria-label={t('tool.installing')}
        {...(totalBytes !== undefined && { max: totalBytes, value: receivedBytes })}
      />
      <span className="text-muted tabular-nums">
        {totalBytes === undefined
          ? bytesText(receivedBytes)
          : t('tool.receivedOf', { received: bytesText(receivedBytes), total: bytesText(totalBytes) })}
      </span>
    </div>
  );
}
