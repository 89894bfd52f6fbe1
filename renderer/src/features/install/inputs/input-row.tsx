import { memo, useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { Help, Problem as ProblemText, quietClass, ViewSwitch } from '../../../ui/controls.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { afterPress } from './after-press.ts';
import type { Draft } from './draft.ts';
import {
  type Entry,
  type Input,
  inView,
  isSecret,
  outcomeOf,
  startDraft,
  type View,
  viewOf,
  viewsOf,
} from './entry.ts';
import { FieldScopeProvider } from './field-context.ts';
import { InputControl } from './input-control.tsx';
import { InputMenu } from './input-menu.tsx';
import { type Problem, placeOf } from './read-draft.ts';

type Props = {
  input: Input;
  entry: Entry;
  /** Problems are shown for every input, not only for those that were left. */
  isTold: boolean;
  /** What the last plan said about this input. */
  told?: string | undefined;
  /** Takes what is different about the entry. */
  onChange: (name: string, change: Entry) => void;
};

/** One variable of the module: what it is, its control, and what is wrong with it. */
export const InputRow = memo(function InputRow({ input, entry, isTold, told, onChange }: Props) {
  const { name } = input.declared;
  const [isStuck, setStuck] = useState(false);
  const outcome = outcomeOf(input, entry);
  const isShown = isTold || entry.wasLeft === true || (entry.view === 'json' && entry.draft !== undefined);
  const problem = outcome.kind === 'problem' && isShown ? outcome.problem : undefined;
  const change = (changed: Entry) => {
    setStuck(false);
    onChange(name, changed);
  };
  const choose = (view: View) => {
    const moved = inView(input, entry, view);
    setStuck(!moved);
    if (moved) onChange(name, moved);
  };
  const scope = {
    name,
    isSecret: isSecret(input, entry),
    isLong: entry.isLong === true,
    describedBy: `input-${name}-help`,
    problem: problem ?? (told === undefined ? undefined : { pointer: '', text: 'input.required' as const }),
    onLeave: () => entry.draft && !entry.wasLeft && afterPress(() => onChange(name, { wasLeft: true })),
    onLong: () => onChange(name, { isLong: true }),
  };
  const control = {
    input,
    entry,
    onDraft: (draft: Draft | undefined) => change({ draft }),
    onStart: () => change({ draft: startDraft(input, viewOf(input, entry)) }),
  };
  return (
    <div data-input={name} className="border-t border-line px-4 py-3.5 first:border-t-0">
      <Heading input={input} entry={entry} onView={choose} onChange={change} />
      <FieldScopeProvider value={scope}>
        <InputControl {...control} />
      </FieldScopeProvider>
      <div id={scope.describedBy}>
        {isStuck && <Stuck />}
        {problem && <InputProblem problem={problem} onSecret={() => change({ isSecret: true })} />}
        {told !== undefined && <ProblemText>{visibleText(told)}</ProblemText>}
        <Hints input={input} entry={entry} />
      </div>
    </div>
  );
});

const Stuck = () => {
  const t = useText();
  return <ProblemText>{t('input.viewStuck')}</ProblemText>;
};

type HeadingProps = { input: Input; entry: Entry; onView: (view: View) => void; onChange: (change: Entry) => void };

function Heading({ input, entry, onView, onChange }: HeadingProps) {
  const t = useText();
  const { declared, shape, isRequired } = input;
  const views = viewsOf(input);
  return (
    <div className="mb-1.5 flex items-start justify-between gap-2">
      <div className="min-w-0 pt-1.5">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={`input-${declared.name}`} className="font-mono font-semibold break-all">
            {declared.name}
          </label>
          <span
            className="max-w-full truncate font-mono text-xs text-muted"
            title={visibleText(declared.typeText ?? '')}
          >
            {visibleText(shape)}
          </span>
          {isRequired && <Pill tone="accent">{t('input.isRequired')}</Pill>}
          {declared.sensitive ? <Pill tone="warn">{t('input.isSensitive')}</Pill> : null}
          {entry.isSecret && !declared.sensitive ? <Pill tone="warn">{t('input.isSecret')}</Pill> : null}
          {declared.ephemeral ? <Pill>{t('input.isEphemeral')}</Pill> : null}
          {isEmptyText(entry) && <Pill>{t('input.isEmpty')}</Pill>}
        </div>
        {declared.description && (
          <p className="mt-0.5 max-w-prose text-sm break-words whitespace-pre-line text-muted">
            {visibleText(declared.description)}
          </p>
        )}
        {declared.deprecated !== undefined && (
          <p className="mt-0.5 text-sm break-words text-warn">
            {t('input.deprecated', { text: visibleText(declared.deprecated) })}
          </p>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-1">
        {views.length > 1 && entry.draft?.kind !== 'null' && (
          <ViewSwitch
            label={t('input.view', { what: declared.name })}
            value={viewOf(input, entry)}
            choices={views.map((view) => ({ value: view, text: t(`input.view.${view}`) }))}
            onChoose={onView}
          />
        )}
        <InputMenu input={input} entry={entry} onChange={onChange} />
      </div>
    </div>
  );
}

const isEmptyText = ({ draft }: Entry): boolean => draft?.kind === 'text' && draft.text === '';

function InputProblem({ problem, onSecret }: { problem: Problem; onSecret: () => void }) {
  const t = useText();
  const place = placeOf(problem.pointer);
  return (
    <ProblemText>
      {place !== '' && problem.text !== 'input.missing' && <code className="mr-1.5">{visibleText(place)}</code>}
      {t(problem.text, problem.values)}
      {problem.text === 'input.looksSecret' && (
        <button type="button" className={`${quietClass} ml-1`} onClick={onSecret}>
          {t('input.secret')}
        </button>
      )}
    </ProblemText>
  );
}

/** What is used when nothing is typed, as far as the control does not say it itself. */
function Hints({ input, entry }: { input: Input; entry: Entry }) {
  const t = useText();
  const { declared } = input;
  if (isSecret(input, entry) && entry.draft === undefined)
    return (
      <Help>
        {t(input.isSealed ? 'input.sealed' : declared.hasDefault ? 'input.secretDefault' : 'input.secretEmpty')}
      </Help>
    );
  if (!declared.hasDefault || entry.draft === undefined || declared.default === undefined) return null;
  const text = visibleText(JSON.stringify(declared.default));
  return <Help>{t('input.default', { value: text.length > 120 ? `${text.slice(0, 120)}…` : text })}</Help>;
}
