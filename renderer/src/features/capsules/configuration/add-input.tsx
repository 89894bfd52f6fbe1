import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { DependencyMode } from '#shared/dependencies/contract';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { FormEnd } from '../../../components/form-end.tsx';
import { stateName } from '../../../components/outputs/output-choice.ts';
import { ModeField, OutputField, ProducerField } from '../../../components/outputs/output-fields.tsx';
import { useProducers } from '../../../components/outputs/producers.ts';
import { focusInvalid } from '../../../components/refused-control.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { inputClass, Labelled } from '../../../ui/controls.tsx';
import { Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

type Props = {
  capsule: Capsule;
  report: CompatibilityReport | undefined;
  /** Variables that another Dependency fills. */
  injected: ReadonlySet<string>;
  onDone: (isCreated: boolean) => void;
};
type Draft = { producerId: string; mode: DependencyMode; from: string; to: string; isRequired: boolean };

const emptyDraft: Draft = { producerId: '', mode: 'variable_injection', from: '', to: '', isRequired: true };
const isComplete = ({ producerId, mode, from, to }: Draft): boolean =>
  producerId !== '' && to !== '' && (mode === 'remote_state' || from !== '');

/** Selects another Capsule, one of its Outputs, and the variable of this Capsule to fill. */
export function AddInput({ capsule, report, injected, onDone }: Props) {
  const t = useText();
  const producers = useProducers(capsule.id);
  const [draft, setDraft] = useState(emptyDraft);
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const add = useIntent(async (keyOf) => {
    const { producerId, mode, from, to, isRequired } = draft;
    const name = mode === 'remote_state' ? stateName : from;
    const body = { producerCapsuleId: producerId, mode, outputs: { [to]: { from: name, to, required: isRequired } } };
    const { dependency } = (await api.createDependency({ params: { capsuleId: capsule.id }, body }, keyOf('add'))).body;
    invalidateRecord({ kind: 'dependency', id: dependency.id });
    onDone(true);
  });
  useEffect(() => form.current?.querySelector('select')?.focus(), []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (isComplete(draft)) void add.run();
    else focusInvalid(form.current);
  };
  const change = (part: Partial<Draft>) => {
    if (add.error !== undefined) add.reset();
    setDraft({ ...draft, ...part });
  };
  if (producers.isPending) return <Skeleton lines={3} />;
  if (producers.failed)
    return <ErrorNote error={producers.failed.error} onAgain={() => void producers.failed?.refetch()} />;
  if (producers.own.length + producers.foreign.length === 0)
    return (
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">{t('links.noConsumers')}</p>
        <Button onClick={() => onDone(false)}>{t('close')}</Button>
      </div>
    );
  const isForeign = producers.foreign.some(({ id }) => id === draft.producerId);
  const field = { draft, change, showErrors };
  return (
    <form ref={form} noValidate onSubmit={send} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <ProducerField {...field} own={producers.own} foreign={producers.foreign} />
        <ModeField {...field} isForeign={isForeign} />
        {draft.mode !== 'remote_state' && <OutputField {...field} isForeign={isForeign} />}
        <VariableField {...field} declared={report?.rootModuleVariableDeclarations} injected={injected} />
      </div>
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0"
          checked={draft.isRequired}
          onChange={(event) => change({ isRequired: event.target.checked })}
        />
        {t('links.required')}
      </label>
      <FormEnd save={add} label={t('links.add.submit')} onCancel={() => onDone(false)} />
    </form>
  );
}

type FieldProps = { draft: Draft; change: (part: Partial<Draft>) => void; showErrors: boolean };
type VariableProps = FieldProps & { declared: VariableDeclaration[] | undefined; injected: ReadonlySet<string> };

function VariableField({ draft, change, showErrors, declared = [], injected }: VariableProps) {
  const t = useText();
  const id = useId();
  const free = declared.filter(({ name }) => !injected.has(name));
  const chosen = free.find(({ name }) => name === draft.to);
  const isMissing = showErrors && draft.to === '';
  const about = chosen && [chosen.typeText ?? chosen.type, chosen.description].filter(Boolean).join(' · ');
  const shared = {
    id,
    value: draft.to,
    'aria-invalid': isMissing || undefined,
    'aria-describedby': `${id}-help`,
    className: inputClass,
  };
  return (
    <Labelled
      id={id}
      label={t('links.variable')}
      help={about ? visibleText(about) : declared.length > 0 && free.length === 0 && t('links.variable.none')}
      problem={isMissing ? t('links.choose') : undefined}
    >
      {declared.length === 0 ? (
        <input {...shared} spellCheck={false} onChange={(event) => change({ to: event.target.value })} />
      ) : (
        <select {...shared} onChange={(event) => change({ to: event.target.value })}>
          <option value="">{t('links.choose.one')}</option>
          {free.map(({ name }) => (
            <option key={name} value={name}>
              {visibleText(name)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
