import { CircleX, KeyRound, TriangleAlert } from 'lucide-react';
import type { ProviderResolution } from '#shared/runs/provider-resolution';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';

type Props = {
  resolution: ProviderResolution;
  /** True before the user has made a choice, so that nothing is shown as an error. */
  isQuiet?: boolean;
};

/** Names what a provider receives from its Connection, or says why it has none and what to do. */
export function ResolutionLine({ resolution, isQuiet = false }: Props) {
  const t = useText();
  const { evidence, blockedReason } = resolution;
  if (evidence.kind === 'blocked' || blockedReason !== undefined) {
    const reason = blockedReason ?? (evidence.kind === 'blocked' ? evidence.reason : 'connection_missing');
    const Icon = isQuiet ? TriangleAlert : CircleX;
    return (
      <p
        role={isQuiet ? undefined : 'alert'}
        className={`flex items-start gap-1.5 text-sm ${isQuiet ? 'text-warn' : 'text-bad'}`}
      >
        <Icon size={15} aria-hidden="true" className="mt-0.5 shrink-0" />
        <span className="min-w-0 break-words">{t(`binding.why.${reason}`)}</span>
      </p>
    );
  }
  return (
    <p className="flex items-start gap-1.5 text-sm text-muted">
      <KeyRound size={15} aria-hidden="true" className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        {evidence.requiredEnvNames.length > 0
          ? t('binding.gives', { names: evidence.requiredEnvNames.map(visibleText).join(', ') })
          : t('binding.givesBlock')}
      </span>
    </p>
  );
}
