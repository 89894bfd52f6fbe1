import { useEffect, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Help, Problem } from '../../ui/controls.tsx';
import { Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ErrorNote } from '../error-note.tsx';
import { isComplete, isFit, type OutputChoice } from '../outputs/output-choice.ts';
import { ModeField, OutputField, ProducerField } from '../outputs/output-fields.tsx';
import { type Offered, useOutputsOf, useProducers } from '../outputs/producers.ts';
import type { Input } from './entry.ts';
import { OutputValue } from './output-value.tsx';

type Props = {
  input: Input;
  choice: OutputChoice | undefined;
  showErrors: boolean;
  onUse: (choice: OutputChoice) => void;
  onCancel: () => void;
};

const nothing: OutputChoice = { producerId: '', mode: 'variable_injection', from: '' };

/** Selects the Capsule and the Output that an input takes its value from. */
export function OutputChooser({ input, choice, showErrors, onUse, onCancel }: Props) {
  const t = useText();
  const producers = useProducers();
  const [draft, setDraft] = useState(choice ?? nothing);
  const [wasPressed, setPressed] = useState(false);
  const id = `input-${input.declared.name}`;
  const isLoaded = !producers.isPending;
  useEffect(() => {
    if (isLoaded) document.getElementById(id)?.focus();
  }, [id, isLoaded]);
  const chosen = [...producers.own, ...producers.foreign].find(({ id }) => id === draft.producerId);
  const isForeign = producers.foreign.some(({ id }) => id === draft.producerId);
  const outputs = useOutputsOf(draft.producerId, !isForeign);
  const canUse = chosen?.isApplied === true && isComplete(draft) && fitsState(input, draft);
  const use = () => {
    setPressed(true);
    if (canUse) onUse(draft);
  };
  const isNone = producers.own.length + producers.foreign.length === 0;
  const field = {
    draft,
    change: (part: Partial<OutputChoice>) => setDraft({ ...draft, ...part }),
    showErrors: showErrors || wasPressed,
  };
  return (
    <fieldset className="min-w-0 rounded-md border border-line bg-raised/40 p-3">
      <legend className="px-1 text-sm font-medium">{t('input.output.title')}</legend>
      {producers.isPending ? (
        <Skeleton lines={2} />
      ) : producers.failed ? (
        <ErrorNote error={producers.failed.error} onAgain={() => void producers.failed?.refetch()} />
      ) : isNone ? (
        <p id={id} tabIndex={-1} className="text-sm text-muted outline-none">
          {t('links.noConsumers')}
        </p>
      ) : (
        <div className="grid gap-3 sm:grid-cols-2">
          <ProducerField {...field} id={id} own={producers.own} foreign={producers.foreign} />
          {chosen?.isApplied === false ? (
            <Problem>{t('input.output.unapplied')}</Problem>
          ) : (
            <>
              <OutputOf {...field} input={input} outputs={outputs} isForeign={isForeign} />
              <ModeField {...field} isForeign={isForeign} />
            </>
          )}
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {!isNone && !producers.isPending && !producers.failed && (
          <Button variant="primary" onClick={use}>
            {t('input.output.confirm')}
          </Button>
        )}
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </fieldset>
  );
}

/** A whole state arrives as the path of a file, which only a text accepts. */
const fitsState = ({ type }: Input, { mode }: OutputChoice): boolean =>
  mode !== 'remote_state' || type.kind === 'string' || type.kind === 'any';

type OutputProps = {
  draft: OutputChoice;
  change: (part: Partial<OutputChoice>) => void;
  showErrors: boolean;
  input: Input;
  outputs: readonly Offered[] | undefined;
  isForeign: boolean;
};

function OutputOf({ input, outputs, isForeign, ...field }: OutputProps) {
  const t = useText();
  const { draft } = field;
  if (draft.mode === 'remote_state')
    return fitsState(input, draft) ? <span /> : <Problem>{t('input.output.stateType')}</Problem>;
  if (draft.producerId !== '' && outputs?.length === 0) return <Help>{t('input.output.empty')}</Help>;
  const chosen = outputs?.find(({ name }) => name === draft.from);
  const fitOf = (one: Offered) => isFit(one, input.type, input.declared.nullable !== false);
  return (
    <div className="min-w-0">
      <OutputField
        {...field}
        isForeign={isForeign}
        textOf={(one) => (fitOf(one) === false ? t('input.output.mark') : '')}
      />
      {chosen && <OutputValue input={input} offered={chosen} />}
      {chosen === undefined && draft.producerId !== '' && outputs !== undefined && (
        <Help>{t('input.output.wanted', { type: visibleText(input.shape) })}</Help>
      )}
    </div>
  );
}
