import { memo, useState } from 'react';
import { writeJson } from '#shared/kernel/exact-number';
import { type TextId, useLocalized, useText } from '../../i18n/text.ts';
import { Help, Problem as ProblemText, quietClass, ViewSwitch } from '../../ui/controls.tsx';
import { Pill } from '../../ui/pill.tsx';
import { visibleText } from '../../ui/visible-text.ts';
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
import { OutputControl, usesOutput } from './output-control.tsx';
import { hasRole, isAddress, type ManifestForm } from './presented-form.ts';
import { formatPointer, type Problem } from './read-draft.ts';

type Props = {
  input: Input;
  /** The form of the manifest, when there is one. */
  form?: ManifestForm | undefined;
  entry: Entry;
  /** True when problems of all inputs are shown, not only of those that lost the focus. */
  showErrors: boolean;
  /** Message of the last plan about this input. */
  planMessage?: string | undefined;
  /** Receives the changed fields of the entry. */
  onChange: (name: string, change: Entry) => void;
  /** True when the input may take its value from an Output of another Capsule. */
  canUseOutputs: boolean;
};

/** One variable of the module: description, control and problem. */
export const InputRow = memo(function InputRow(props: Props) {
  const { input, form, entry, showErrors, planMessage, onChange, canUseOutputs } = props;
  const { name } = input.declared;
  const [isStuck, setStuck] = useState(false);
  const outcome = outcomeOf(input, entry);
  const isShown = showErrors || entry.wasLeft === true || (entry.view === 'json' && entry.draft !== undefined);
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
    problem: problem ?? (planMessage === undefined ? undefined : { pointer: '', text: 'input.required' as const }),
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
      <Heading
        input={input}
        form={form}
        entry={entry}
        canUseOutputs={canUseOutputs}
        onView={choose}
        onChange={change}
      />
      <FieldScopeProvider value={scope}>
        {usesOutput(entry) ? (
          <OutputControl {...{ input, entry, showErrors, onChange: change }} />
        ) : (
          <InputControl {...control} />
        )}
      </FieldScopeProvider>
      <div id={scope.describedBy}>
        {isStuck && <Stuck />}
        {problem && <InputProblem problem={problem} onSecret={() => change({ isSecret: true })} />}
        {planMessage !== undefined && <ProblemText>{visibleText(planMessage)}</ProblemText>}
        {!usesOutput(entry) && <Hints input={input} entry={entry} />}
        {form && <RoleHint input={input} form={form} />}
      </div>
    </div>
  );
});

const Stuck = () => {
  const t = useText();
  return <ProblemText>{t('input.viewStuck')}</ProblemText>;
};

type HeadingProps = {
  input: Input;
  form: ManifestForm | undefined;
  entry: Entry;
  canUseOutputs: boolean;
  onView: (view: View) => void;
  onChange: (change: Entry) => void;
};

function Heading({ input, form, entry, canUseOutputs, onView, onChange }: HeadingProps) {
  const t = useText();
  const { declared, shape, isRequired } = input;
  const views = viewsOf(input);
  return (
    <div className="mb-1.5 flex items-start justify-between gap-2">
      <div className="min-w-0 pt-1.5">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <NameOf input={input} form={form} />
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
          {isEmptyText(entry) && !usesOutput(entry) && <Pill>{t('input.isEmpty')}</Pill>}
        </div>
        <Description input={input} />
        {declared.deprecated !== undefined && (
          <p className="mt-0.5 text-sm break-words text-warn">
            {t('input.deprecated', { text: visibleText(declared.deprecated) })}
          </p>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-1">
        {views.length > 1 && entry.draft?.kind !== 'null' && !usesOutput(entry) && (
          <ViewSwitch
            label={t('input.view', { what: declared.name })}
            value={viewOf(input, entry)}
            choices={views.map((view) => ({ value: view, text: t(`input.view.${view}`) }))}
            onChoose={onView}
          />
        )}
        {!entry.isStored && <InputMenu input={input} entry={entry} canUseOutputs={canUseOutputs} onChange={onChange} />}
      </div>
    </div>
  );
}

/** Label from the manifest with the variable name, or the variable name alone. */
function NameOf({ input: { declared, presentation }, form }: { input: Input; form: ManifestForm | undefined }) {
  const t = useText();
  const localized = useLocalized();
  const label = presentation && localized(presentation.label);
  const own = form && isAddress(form, declared.name) ? t('input.address') : undefined;
  const shown = label === declared.name ? own : label;
  if (shown === undefined)
    return (
      <label htmlFor={`input-${declared.name}`} className="font-mono font-semibold break-all">
        {declared.name}
      </label>
    );
  return (
    <>
      <label htmlFor={`input-${declared.name}`} className="font-semibold break-words">
        {visibleText(shown)}
      </label>
      <code className="text-xs break-all text-muted">{declared.name}</code>
    </>
  );
}

function Description({ input: { declared, presentation } }: { input: Input }) {
  const localized = useLocalized();
  const text = presentation?.helper ? localized(presentation.helper) : declared.description;
  if (!text) return null;
  return <p className="mt-0.5 max-w-prose text-sm break-words whitespace-pre-line text-muted">{visibleText(text)}</p>;
}

/** Describes what the value is used for outside the module. */
function RoleHint({ input, form }: { input: Input; form: ManifestForm }) {
  const t = useText();
  const { name } = input.declared;
  if (hasRole(form, 'service_name', name)) return <Help>{t('input.serviceName')}</Help>;
  if (hasRole(form, 'initial_secret', name)) return <Help>{t('input.initialSecret')}</Help>;
  return isAddress(form, name) ? <Help>{t('input.addressHelp')}</Help> : null;
}

const isEmptyText = ({ draft }: Entry): boolean => draft?.kind === 'text' && draft.text === '';

function InputProblem({ problem, onSecret }: { problem: Problem; onSecret: () => void }) {
  const t = useText();
  const path = formatPointer(problem.pointer);
  return (
    <ProblemText>
      {path !== '' && problem.text !== 'input.missing' && <code className="mr-1.5">{visibleText(path)}</code>}
      {t(problem.text, problem.values)}
      {problem.text === 'input.looksSecret' && (
        <button type="button" className={`${quietClass} ml-1`} onClick={onSecret}>
          {t('input.secret')}
        </button>
      )}
    </ProblemText>
  );
}

function emptySecretHint({ isSealed, presentation, declared }: Input): TextId {
  if (isSealed) return 'input.sealed';
  if (presentation?.generated) return 'input.generated';
  return declared.hasDefault ? 'input.secretDefault' : 'input.secretEmpty';
}

/** Describes the value that is used when nothing is typed, unless the control shows it already. */
function Hints({ input, entry }: { input: Input; entry: Entry }) {
  const t = useText();
  const { declared } = input;
  if (isSecret(input, entry) && entry.draft === undefined)
    return <Help>{t(entry.isRemoved ? 'input.sealedRemoved' : emptySecretHint(input))}</Help>;
  if (!declared.hasDefault || entry.draft === undefined || declared.default === undefined) return null;
  const text = visibleText(writeJson(declared.default));
  return <Help>{t('input.default', { value: text.length > 120 ? `${text.slice(0, 120)}…` : text })}</Help>;
}
