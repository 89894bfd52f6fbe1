import type { UseQueryResult } from '@tanstack/react-query';
import type { InputChanges } from '#shared/plans/comparison';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { InputDifferenceList } from './input-differences.tsx';

/** Inputs of a plan that differ from those that were last applied, above the changes that follow from them. */
export function InputChangesCard({ query }: { query: UseQueryResult<InputChanges> }) {
  const t = useText();
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
