import { useState } from 'react';
import type { KeyJob, VaultStatus } from '#shared/keys/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { isResealing } from '../../api/vault.ts';
import { Confirm } from '../../components/confirm.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, Spinner } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';

/** Rotation of the data keys and its progress. */
export function Rotation({ vault }: { vault: VaultStatus }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const rotate = useIntent(async () => {
    const { body } = await api.rotateKeys({});
    queryClient.setQueryData(keys.vault, body.vault);
    void queryClient.invalidateQueries({ queryKey: keys.vault });
    setAsking(false);
  });
  const close = () => {
    rotate.reset();
    setAsking(false);
  };
  return (
    <Card>
      <SectionTitle id="rotation" className="border-b border-line px-4 py-2.5" />
      <div className="flex flex-col gap-3 p-4">
        <p className="text-muted">{t('vault.rotate.text')}</p>
        {vault.job && <Progress job={vault.job} />}
        {vault.oldKeys > 0 && <p className="text-sm text-muted">{t('vault.oldKeys', { count: vault.oldKeys })}</p>}
        <div>
          <Button busy={rotate.isBusy || isResealing(vault)} onClick={() => setAsking(true)}>
            {t('vault.rotate.do')}
          </Button>
        </div>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={close}
        title={t('vault.rotate.ask')}
        action={t('vault.rotate.do')}
        busy={rotate.isBusy}
        error={rotate.error}
        onConfirm={() => void rotate.run()}
      >
        {t('vault.rotate.what')}
      </Confirm>
    </Card>
  );
}

function Progress({ job }: { job: KeyJob }) {
  const t = useText();
  const count = job.resealed;
  return (
    <>
      {job.finishedAt === undefined ? (
        <p role="status" className="flex items-center gap-2 font-medium">
          <Spinner /> {t(`vault.job.${job.kind}`, { count })}
        </p>
      ) : (
        <p role="status" className="text-sm">
          {t('vault.job.done', { count })} <Since at={job.finishedAt} />
        </p>
      )}
      {job.unreadable > 0 && (
        <Note tone="warn" title={t('vault.unreadable', { count: job.unreadable })}>
          {t('vault.unreadable.text')}
        </Note>
      )}
    </>
  );
}
