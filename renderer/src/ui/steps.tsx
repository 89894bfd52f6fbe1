import { Check, Circle, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { Spinner } from './button.tsx';

export type StepState = 'waiting' | 'running' | 'done' | 'failed';
export type Step = {
  id: string;
  title: string;
  state: StepState;
  /** Content beside the title, such as a timer. */
  aside?: ReactNode;
  /** Content below the title of the step. */
  children?: ReactNode;
};

const stateClasses: Record<StepState, string> = {
  waiting: 'text-muted',
  running: 'text-accent',
  done: 'text-good',
  failed: 'text-bad',
};

function Mark({ state }: { state: StepState }) {
  if (state === 'running') return <Spinner />;
  if (state === 'done') return <Check size={16} aria-hidden="true" />;
  if (state === 'failed') return <X size={16} aria-hidden="true" />;
  return <Circle size={12} aria-hidden="true" />;
}

/** A sequence of steps, each with its state as text for screen readers. */
export function Steps({ label, steps }: { label: string; steps: readonly Step[] }) {
  const t = useText();
  return (
    <ol aria-label={label} aria-live="polite" className="flex flex-col gap-2.5">
      {steps.map(({ id, title, state, aside, children }) => (
        <li key={id} aria-current={state === 'running' ? 'step' : undefined} className="flex gap-3">
          <span className={`flex h-5 w-4 shrink-0 items-center justify-center ${stateClasses[state]}`}>
            <Mark state={state} />
          </span>
          <div className="min-w-0 flex-1">
            <p className="flex items-baseline justify-between gap-x-3">
              <span className={`min-w-0 break-words ${state === 'waiting' ? 'text-muted' : 'font-medium'}`}>
                {title}
                <span className="sr-only">: {t(`step.${state}`)}</span>
              </span>
              {/* Its width is reserved, so that the title wraps in the same way with a timer and without one. */}
              <span aria-live="off" className="max-w-3/5 min-w-18 shrink-0 text-right text-xs text-muted">
                {aside}
              </span>
            </p>
            {children && <div className="mt-1.5">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
