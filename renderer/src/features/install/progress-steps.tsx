import type { InstallPlan } from '#shared/install-plans/contract';
import { type TextId, useText } from '../../i18n/text.ts';
import { type StepState, Steps } from '../../ui/steps.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Step = {
  text: TextId;
  isDone: (plan: InstallPlan) => boolean;
  result?: (plan: InstallPlan) => string | undefined;
};

/** Steps of an installation in order. Each is done when the record contains its result. */
const steps: readonly Step[] = [
  { text: 'progress.source', isDone: ({ sourceId }) => sourceId !== undefined },
  { text: 'progress.sync', isDone: ({ sourceSnapshotId }) => sourceSnapshotId !== undefined },
  {
    text: 'progress.module',
    isDone: ({ installModulePath }) => installModulePath !== undefined,
    result: ({ installModulePath }) => (installModulePath === '.' ? undefined : installModulePath),
  },
  { text: 'progress.check', isDone: ({ compatibilityReportId }) => compatibilityReportId !== undefined },
  {
    text: 'progress.capsule',
    isDone: ({ capsuleId }) => capsuleId !== undefined,
    result: ({ capsule }) => `${capsule.name} (${capsule.environment})`,
  },
  { text: 'progress.plan', isDone: ({ phase }) => phase === 'reviewable' },
];

export function ProgressSteps({ plan, isStopped }: { plan: InstallPlan; isStopped: boolean }) {
  const t = useText();
  const current = steps.findIndex(({ isDone }) => !isDone(plan));
  const stateOf = (index: number): StepState => {
    if (current === -1 || index < current) return 'done';
    if (index > current || isStopped) return 'waiting';
    return plan.phase === 'failed' ? 'failed' : 'running';
  };
  const end = plan.completedAt ?? (isStopped ? plan.updatedAt : undefined);
  const shown = steps.map(({ text, result }, index) => {
    const state = stateOf(index);
    const more = state === 'done' ? result?.(plan) : undefined;
    return {
      id: text,
      title: t(text),
      state,
      ...(more !== undefined && { aside: <code className="break-all">{visibleText(more)}</code> }),
    };
  });
  return (
    <>
      <Steps label={t('progress.steps')} steps={shown} />
      <p className="mt-3 border-t border-line pt-2.5 text-sm text-muted">
        <Elapsed from={Date.parse(plan.createdAt)} to={end === undefined ? undefined : Date.parse(end)} />
        {end === undefined && <> · {t('progress.leave')}</>}
      </p>
    </>
  );
}
