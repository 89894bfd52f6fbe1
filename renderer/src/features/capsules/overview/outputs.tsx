import { useQuery } from '@tanstack/react-query';
import type { CompatibilityReport } from '#shared/sources/report';
import { outputsQuery } from '../../../api/records.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { hiddenNames, OutputList, PendingOutputs } from '../../../ui/output-list.tsx';
import { Card } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { CopyOutputs } from './copy-outputs.tsx';

/** The current Outputs of an applied Capsule. Sensitive ones are named, never shown. */
export function CapsuleOutputs(props: { capsuleId: string; report: CompatibilityReport | undefined }) {
  const t = useText();
  const { data: output, isPending, error, refetch } = useQuery(outputsQuery(props.capsuleId));
  const values = output?.workspaceOutputs ?? {};
  return (
    <Card>
      <h2 className="flex flex-wrap items-baseline justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('outputs.title')}
        {output && (
          <span className="text-xs font-normal text-muted">
            {t('outputs.generation', { generation: output.stateGeneration })} · <Since at={output.createdAt} />
          </span>
        )}
      </h2>
      {isPending && <PendingOutputs report={props.report} />}
      {error && (
        <div className="p-4">
          <ErrorNote error={error} onAgain={() => void refetch()} />
        </div>
      )}
      {output !== undefined && <OutputList values={values} report={props.report} />}
      {output && (
        <CopyOutputs values={values} hiddenCount={hiddenNames(props.report, new Set(Object.keys(values))).length} />
      )}
    </Card>
  );
}
