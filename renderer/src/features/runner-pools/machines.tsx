import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunnerMachine } from '#shared/runner-pools/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { runnerMachinesQuery } from '../../api/runner-pools.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { toolNames } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Pill } from '../../ui/pill.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Machines of a pool, with their actions. */
export function PoolMachines({ poolId }: { poolId: string }) {
  const t = useText();
  const query = useQuery(runnerMachinesQuery(poolId));
  if (query.isPending) return <Skeleton lines={2} />;
  if (query.isLoadingError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const machines = query.data ?? [];
  if (machines.length === 0) return <p className="px-4 py-3 text-muted">{t('runners.machines.none')}</p>;
  return (
    <ul aria-label={t('runners.machines')} className="divide-y divide-line">
      {machines.map((machine) => (
        <MachineRow key={machine.id} machine={machine} />
      ))}
    </ul>
  );
}

function MachineRow({ machine }: { machine: RunnerMachine }) {
  const t = useText();
  const { id, name, state, isLive, lastSeenAt, versionSkew } = machine;
  const isDraining = state === 'draining';
  const toggle = useIntent(async (keyOf) => {
    const move = isDraining ? api.resumeRunnerMachine : api.drainRunnerMachine;
    await move({ params: { machineId: id } }, keyOf(state));
    invalidateRecord({ kind: 'runner', id });
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{visibleText(name)}</span>
          <Pill tone={isDraining ? 'warn' : isLive ? 'good' : 'neutral'}>
            {t(isDraining ? 'runners.state.draining' : isLive ? 'runners.state.live' : 'runners.state.silent')}
          </Pill>
          <span className="font-normal text-muted">
            <ShortId id={id} what={t('runners.machine.id')} length={12} />
          </span>
        </p>
        <p className="text-sm break-words text-muted">
          {visibleText(factsOf(machine, t).join(' · '))}
          {lastSeenAt !== undefined && (
            <>
              {' · '}
              {t('runners.seen')} <Since at={lastSeenAt} />
            </>
          )}
        </p>
        {versionSkew && <p className="text-sm">{t(`runners.skew.${versionSkew}`)}</p>}
        {toggle.error !== undefined && <ErrorNote error={toggle.error} />}
      </div>
      <Button busy={toggle.isBusy} onClick={() => void toggle.run()}>
        {t(isDraining ? 'runners.resume' : 'runners.drain')}
      </Button>
      <RevokeMachine machine={machine} />
    </li>
  );
}

/** Facts that a machine reports of itself, and the Runs that it executes. */
function factsOf(machine: RunnerMachine, t: ReturnType<typeof useText>): string[] {
  const { productVersion, tool, platform, sandbox, network, runningRuns: running, concurrency: most } = machine;
  return [
    productVersion,
    ...(tool ? [`${toolNames[tool.name]} ${tool.version}`] : []),
    ...(platform === undefined ? [] : [platform]),
    ...(sandbox === undefined ? [] : [t(`runners.sandbox.${sandbox}`)]),
    ...(network === undefined ? [] : [t(`runners.network.${network}`)]),
    most === undefined ? t('runners.running', { running }) : t('runners.running.of', { running, most }),
  ];
}

function RevokeMachine({ machine: { id, name } }: { machine: RunnerMachine }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const revoke = useIntent(async (keyOf) => {
    await api.revokeRunnerMachine({ params: { machineId: id } }, keyOf('revoke'));
    setOpen(false);
    invalidateRecord({ kind: 'runner', id });
  });
  const close = () => {
    revoke.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('runners.revoke')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('runners.revoke.title', { name: visibleText(name) })}
        action={t('runners.revoke')}
        busy={revoke.isBusy}
        error={revoke.error}
        onConfirm={() => void revoke.run()}
      >
        <p>{t('runners.revoke.text')}</p>
      </Confirm>
    </>
  );
}
