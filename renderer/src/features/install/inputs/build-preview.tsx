import type { SourceBuild } from '#shared/install-configs/source-build';
import { BuildSteps } from '../../../components/source-build.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';

/** Exact commands that run before the plan. */
export function BuildPreview({ build }: { build: SourceBuild }) {
  const t = useText();
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="border-b border-line px-4 py-3 text-base font-semibold">{t('build.title')}</h2>
      <div className="flex flex-col gap-3 px-4 py-3.5">
        <p className="text-muted">{t('build.lead')}</p>
        <BuildSteps build={build} />
      </div>
    </Card>
  );
}
