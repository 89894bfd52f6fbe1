import { useId } from 'react';
import { type DependencyMode, dependencyModes } from '#shared/dependencies/contract';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { OutputChoice } from './output-choice.ts';
import { type Offered, type Producer, useOutputsOf } from './producers.ts';

type FieldProps = { draft: OutputChoice; change: (part: Partial<OutputChoice>) => void; showErrors: boolean };

type ProducerProps = FieldProps & { own: readonly Producer[]; foreign: readonly Producer[]; id?: string };

export function ProducerField({ draft, change, showErrors, own, foreign, id: fixedId }: ProducerProps) {
  const t = useText();
  const ownId = useId();
  const id = fixedId ?? ownId;
  const isMissing = showErrors && draft.producerId === '';
  const choose = (producerId: string) => {
    const mode = draft.mode === 'remote_state' ? 'variable_injection' : draft.mode;
    change({ producerId, from: '', ...(foreign.some((one) => one.id === producerId) && { mode }) });
  };
  const options = (list: readonly Producer[]) =>
    list.map((one) => (
      <option key={one.id} value={one.id}>
        {visibleText(one.text)}
      </option>
    ));
  return (
    <Labelled id={id} label={t('links.producer')} problem={isMissing ? t('links.choose') : undefined}>
      <select
        id={id}
        value={draft.producerId}
        aria-invalid={isMissing || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => choose(event.target.value)}
        className={inputClass}
      >
        <option value="">{t('links.choose.one')}</option>
        {foreign.length === 0 ? (
          options(own)
        ) : (
          <>
            <optgroup label={t('links.here')}>{options(own)}</optgroup>
            <optgroup label={t('links.shared')}>{options(foreign)}</optgroup>
          </>
        )}
      </select>
    </Labelled>
  );
}

const modeTexts = {
  variable_injection: 'links.mode.variable_injection',
  published_output: 'links.mode.published_output',
  remote_state: 'links.mode.remote_state',
} as const;
const modeHelps = {
  variable_injection: 'links.mode.variable_injection.help',
  published_output: 'links.mode.published_output.help',
  remote_state: 'links.mode.remote_state.help',
} as const;

/** A state never leaves its Workspace. */
export function ModeField({ draft, change, isForeign }: FieldProps & { isForeign: boolean }) {
  const t = useText();
  const id = useId();
  const modes = dependencyModes.filter((mode) => mode !== 'remote_state' || !isForeign);
  return (
    <Labelled id={id} label={t('links.mode')} help={t(modeHelps[draft.mode])}>
      <select
        id={id}
        value={draft.mode}
        aria-describedby={`${id}-help`}
        onChange={(event) => change({ mode: event.target.value as DependencyMode })}
        className={inputClass}
      >
        {modes.map((mode) => (
          <option key={mode} value={mode}>
            {t(modeTexts[mode])}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type OutputProps = FieldProps & {
  isForeign: boolean;
  /** Returns a text about an Output that is shown behind its name. */
  textOf?: (offered: Offered) => string;
};

export function OutputField({ draft, change, showErrors, isForeign, textOf = () => '' }: OutputProps) {
  const t = useText();
  const id = useId();
  const outputs = useOutputsOf(draft.producerId, !isForeign);
  const offered = (outputs ?? []).filter(({ isSensitive }) => draft.mode !== 'published_output' || !isSensitive);
  const isMissing = showErrors && draft.from === '';
  const shared = {
    id,
    value: draft.from,
    'aria-invalid': isMissing || undefined,
    'aria-describedby': `${id}-help`,
    className: inputClass,
  };
  // Before its first apply, the Outputs of a Capsule are unknown, so the user types the name.
  const isFree = draft.producerId !== '' && outputs?.length === 0;
  return (
    <Labelled
      id={id}
      label={t('links.output')}
      help={isFree && t('links.output.free')}
      problem={isMissing ? t('links.choose') : undefined}
    >
      {isFree ? (
        <input {...shared} spellCheck={false} onChange={(event) => change({ from: event.target.value })} />
      ) : (
        <select {...shared} onChange={(event) => change({ from: event.target.value })}>
          <option value="">{t('links.choose.one')}</option>
          {offered.map((one) => (
            <option key={one.name} value={one.name}>
              {visibleText(one.name)} {one.isSensitive && t('links.sensitive')} {textOf(one)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
