import type { Run } from '#shared/runs/contract';
import { ResolutionList } from '../../components/provider-bindings/resolution-list.tsx';
import { isBlocked } from '../../components/provider-bindings/tuples.ts';
import { useText } from '../../i18n/text.ts';
import { tupleName } from '../../ui/provider-text.ts';
import { Card } from '../../ui/surface.tsx';

/** Credentials of a Run, by name. Opens automatically when a provider blocked the Run. */
export function RunCredentials({ run: { providerResolutions = [] } }: { run: Run }) {
  const t = useText();
  if (providerResolutions.length === 0) return null;
  return (
    <Card className="mb-4">
      <details open={providerResolutions.some(isBlocked)}>
        <summary className="cursor-pointer px-4 py-2.5 text-sm">
          <span className="font-medium">{t('binding.run')}</span>{' '}
          <span className="font-mono text-xs break-words text-muted">
            {providerResolutions
              .map(({ requirement }) => tupleName(requirement.providerName, requirement.alias))
              .join(', ')}
          </span>
        </summary>
        <div className="border-t border-line">
          <ResolutionList resolutions={providerResolutions} />
        </div>
      </details>
    </Card>
  );
}
