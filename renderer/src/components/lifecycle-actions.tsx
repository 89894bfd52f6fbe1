import type { ReactNode } from 'react';
import {
  activatorDefaultSeconds,
  type LifecycleAction,
  lifecycleDefaultSeconds,
} from '#shared/install-configs/lifecycle';
import { usePlanRunner } from '../api/plan-runner.ts';
import { useText } from '../i18n/text.ts';
import { Note } from '../ui/surface.tsx';
import { visibleText } from '../ui/visible-text.ts';

/**
 * The exact lifecycle actions, in the order in which they run. Each argument has a box of its own, so that none hides in
 * another. A missing sandbox is reported above them. `poolId` is that of a Run; without it, that of a new Capsule counts.
 */
export function LifecycleActionList({ actions, poolId }: { actions: readonly LifecycleAction[]; poolId?: string }) {
  const t = useText();
  const isOpen = usePlanRunner({ poolId })?.sandbox === 'none' && actions.some(({ executor }) => executor === 'runner');
  return (
    <>
      {isOpen && (
        <Note tone="warn" title={t('build.noSandbox')}>
          {t('action.noSandbox.text')}
        </Note>
      )}
      <ol className="flex flex-col gap-4">
        {actions.map((action) => (
          <li key={action.id} className="min-w-0">
            <Action action={action} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Action({ action }: { action: LifecycleAction }) {
  const t = useText();
  const { id, phase, executor, command, workingDirectory = '.', env = {}, cleanupFor } = action;
  const seconds =
    action.timeoutSeconds ?? (executor === 'operator' ? activatorDefaultSeconds : lifecycleDefaultSeconds);
  return (
    <>
      <h3 className="font-medium break-all">
        {visibleText(id)} <span className="font-normal text-muted">{t(`action.${phase}`)}</span>
      </h3>
      <div className="mt-1 flex flex-wrap gap-1">
        {command.map((argument, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: arguments have no name, and their order never changes
          <Code key={position}>{visibleText(argument)}</Code>
        ))}
      </div>
      <ul className="mt-1 flex flex-col gap-0.5 text-muted">
        <li>{t(`action.${executor}`)}</li>
        <li>
          {t('build.in')}{' '}
          {workingDirectory === '.' ? (
            t('build.root')
          ) : (
            <code className="break-all">{visibleText(workingDirectory)}</code>
          )}
        </li>
        <li>{t('action.seconds', { count: seconds })}</li>
        {cleanupFor !== undefined && <li>{t('action.cleanupFor', { id: visibleText(cleanupFor) })}</li>}
        {action.useProviderCredentials === true && <li className="text-warn">{t('action.credentials')}</li>}
        {Object.entries(env).map(([name, value]) => (
          <li key={name} className="break-all">
            <code>{visibleText(`${name}=${value}`)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

const Code = ({ children }: { children: ReactNode }) => (
  <code className="max-w-full rounded border border-line bg-raised px-1.5 py-0.5 break-all whitespace-pre-wrap">
    {children}
  </code>
);
