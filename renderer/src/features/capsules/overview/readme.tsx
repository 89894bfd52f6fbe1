import { useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { readmeQuery } from '../../../api/capsule-pages.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const boxClass = 'max-h-[32rem] overflow-auto px-4 py-3 font-mono text-xs break-words whitespace-pre-wrap';

/** The README of the module as plain text. Renders nothing for a module without one. */
export function ModuleReadme({ capsule, report }: { capsule: Capsule; report: CompatibilityReport | undefined }) {
  const t = useText();
  const snapshotId = capsule.adoptedSourceRevision?.sourceSnapshotId ?? report?.sourceSnapshotId;
  const at = report && snapshotId !== undefined ? { snapshotId, path: report.modulePath } : undefined;
  const { data: readme, error, refetch } = useQuery(readmeQuery(capsule.sourceId, at));
  if (error) return <ErrorNote error={error} onAgain={() => void refetch()} />;
  if (!readme) return null;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">
        <code className="font-mono text-[0.93em] break-all">{visibleText(readme.path)}</code>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard */}
      <pre tabIndex={0} className={boxClass}>
        {visibleText(readme.text)}
      </pre>
      {readme.isCut && <p className="border-t border-line px-4 py-2 text-xs text-muted">{t('overview.readme.cut')}</p>}
    </Card>
  );
}
