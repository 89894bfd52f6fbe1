import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { inputChangesQuery } from '../../../api/plan-comparison.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { InputDifferenceList } from './input-differences.tsx';

/** Inputs of a plan that differ from those that were last applied, above the changes that follow from them. */
export function InputChangesCard({ run }: { run: Run }) {
  const t = useText();
  const query = useQuery({ ...inputChangesQuery(run.id), enabled: run.type === 'plan' });
  if (query.isError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.data) return null;
  const isApplied = query.data.against.kind === 'applied';
  return (
    <InputDifferenceList
      differences={query.data}
      title={t(isApplied ? 'compare.inputs.applied' : 'compare.inputs.previous')}
    />
  );
}
