import { Plus } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { Connection } from '#shared/connections/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import { useText } from '../../i18n/text.ts';
import { inputClass, quietClass } from '../../ui/controls.tsx';
import { shortSource, tupleName } from '../../ui/provider-text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { connectionName } from '../repository-access.tsx';
import { connectionStatusTexts } from '../status-text.ts';
import { ResolutionLine } from './resolution-line.tsx';
import { isBlocked, isUsable } from './tuples.ts';

type Props = {
  requirement: ProviderRequirement;
  choices: readonly Connection[];
  chosenId: string | undefined;
  /** The chosen Connection when it is no longer selectable, for example after a revoke. */
  gone: Connection | undefined;
  resolution: ProviderResolution | undefined;
  /** True when a missing Connection deserves a hint although it is allowed. */
  isLikely: boolean;
  showErrors: boolean;
  onChoose: (connectionId: string | undefined) => void;
  onNew: () => void;
};

/** One provider configuration of the module and its Connection. */
export function BindingRow(props: Props) {
  const t = useText();
  const id = useId();
  const { requirement, choices, chosenId, gone, resolution, isLikely, showErrors, onChoose, onNew } = props;
  const { providerName, alias } = requirement;
  const name = tupleName(providerName, alias);
  const isGone = chosenId !== undefined && !choices.some((one) => one.id === chosenId);
  const isOnlyMissing = resolution?.blockedReason === 'connection_required' && !showErrors;
  const isWrong = resolution !== undefined && isBlocked(resolution) && !isOnlyMissing;
  return (
    <div data-binding={name} className="border-t border-line px-4 py-3 first:border-t-0">
      <TupleHead requirement={requirement} labelFor={id} />
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <select
          id={id}
          className={`${inputClass} max-w-md flex-[1_1_14rem]`}
          value={chosenId ?? ''}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-help`}
          onChange={(event) => onChoose(event.target.value === '' ? undefined : event.target.value)}
        >
          <option value="">{t(choices.length > 0 ? 'binding.none' : 'binding.noneThere')}</option>
          {isGone && (
            <option value={chosenId}>{t('binding.gone', { name: connectionName(gone ?? { id: chosenId }) })}</option>
          )}
          {choices.map((one) => (
            <option key={one.id} value={one.id}>
              {connectionName(one)}
              {!isUsable(one) && ` · ${t(connectionStatusTexts[one.status].text)}`}
            </option>
          ))}
        </select>
        <button type="button" className={quietClass} onClick={onNew} aria-label={t('binding.newFor', { name })}>
          <Plus size={14} aria-hidden="true" /> {t('binding.new')}
        </button>
      </div>
      <div id={`${id}-help`} className="mt-1">
        {resolution && <ResolutionLine resolution={resolution} isQuiet={isOnlyMissing} />}
        {!resolution && chosenId === undefined && isLikely && (
          <p className="text-sm text-muted">{t('binding.likely')}</p>
        )}
      </div>
    </div>
  );
}

type HeadProps = { requirement: ProviderRequirement; labelFor?: string; children?: ReactNode };

/** A provider configuration as the module writes it, and which provider that is. */
export function TupleHead({ requirement, labelFor, children }: HeadProps) {
  const { providerName, alias, providerSource, versionConstraint } = requirement;
  const name = <span className="font-mono font-semibold break-all">{tupleName(providerName, alias)}</span>;
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      {labelFor === undefined ? name : <label htmlFor={labelFor}>{name}</label>}
      <span className="min-w-0 text-xs break-all text-muted" title={visibleText(providerSource)}>
        {visibleText(shortSource(providerSource))}
        {versionConstraint !== undefined && ` ${visibleText(versionConstraint)}`}
      </span>
      {children}
    </div>
  );
}
