import { useText } from '../../i18n/text.ts';
import type { FieldProblem } from './draft.ts';

/** What is wrong with a field, as a sentence; undefined when nothing is. */
export function useProblemText(): (problem: FieldProblem | undefined) => string | undefined {
  const t = useText();
  return (problem) => problem && t(problem.text, problem.values);
}
