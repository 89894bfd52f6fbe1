import { useState } from 'react';
import type { RunnerPool } from '#shared/runner-pools/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { CreatedSecret } from '../../components/created-secret.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { poolWaitOf } from '../../components/pool-wait.ts';
import { CommandLine } from '../../components/shell-command.tsx';
import { toolNames } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { OpenEnrolments } from './enrolments.tsx';
import { PoolMachines } from './machines.tsx';
import { QueueText } from './queue-text.tsx';
import { RenamePool } from './rename-pool.tsx';
import { WorkspaceAccess } from './workspace-access.tsx';

/** A pool: what waits in it, its machines, and whether this Workspace may use it. */
export function PoolCard({ pool, isConfigured }: { pool: RunnerPool; isConfigured: boolean }) {
  const t = useText();
  const wait = poolWaitOf(pool);
  return (
    <Card>
      <div className="flex flex-col gap-2 border-b border-line px-4 py-3">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="font-semibold break-words">{visibleText(pool.name)}</h2>
          <QueueText queue={pool.queue} />
        </div>
        {pool.note !== undefined && <p className="break-words text-muted">{visibleText(pool.note)}</p>}
        {pool.tools.length > 1 && (
          <Note tone="warn" title={t('runners.tools')}>
            {visibleText(pool.tools.map(({ name, version }) => `${toolNames[name]} ${version}`).join(', '))}
          </Note>
        )}
        {pool.queue.waiting > 0 && wait && <p>{t(wait === 'silent' ? 'runners.waits' : `runners.waits.${wait}`)}</p>}
        <div className="flex flex-wrap gap-2">
          {isConfigured && <Enrol pool={pool} />}
          <WorkspaceAccess pool={pool} />
          <RenamePool pool={pool} />
          <RemovePool pool={pool} />
        </div>
      </div>
      <OpenEnrolments poolId={pool.id} />
      <PoolMachines poolId={pool.id} />
    </Card>
  );
}

const joinCommand = 'groundctl runner --data-dir ~/groundctl-runner --enrol machine.enrol';

/** Makes an enrolment and shows its text once. */
function Enrol({ pool }: { pool: RunnerPool }) {
  const t = useText();
  const [text, setText] = useState<string>();
  const create = useIntent(async () => {
    // Sent without an idempotency key, because a repeated answer would be another text.
    const { body } = await api.createRunnerEnrolment({ params: { poolId: pool.id } });
    setText(body.text);
    invalidateRecord({ kind: 'runner', id: body.runnerEnrolment.id });
  });
  const close = () => setText(undefined);
  return (
    <>
      <Button busy={create.isBusy} onClick={() => void create.run()}>
        {t('runners.enrol')}
      </Button>
      {create.error !== undefined && <ErrorNote error={create.error} />}
      <Dialog isOpen={text !== undefined} onClose={close} title={t('runners.enrol')}>
        <CreatedSecret
          secret={text ?? ''}
          what={t('runners.enrolment')}
          text={t('runners.enrolment.text')}
          testId="runner-enrolment"
          onClose={close}
        >
          <div className="text-muted">
            <p>{t('runners.enrolment.steps')}</p>
            <CommandLine line={joinCommand} />
            <p className="mt-3">{t('runners.enrolment.needs')}</p>
          </div>
        </CreatedSecret>
      </Dialog>
    </>
  );
}

function RemovePool({ pool }: { pool: RunnerPool }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const remove = useIntent(async (keyOf) => {
    await api.removeRunnerPool({ params: { poolId: pool.id } }, keyOf('remove'));
    setOpen(false);
    invalidateRecord({ kind: 'runner', id: pool.id });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('runners.remove')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('runners.remove.title', { name: visibleText(pool.name) })}
        action={t('runners.remove')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        <p>{t('runners.remove.text')}</p>
      </Confirm>
    </>
  );
}
