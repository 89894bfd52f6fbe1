import { useText } from '../../i18n/text.ts';
import type { FieldProblem } from './draft.ts';

/** Returns a function that formats the problem of a field; undefined when there is none. */
export function useProblemText(): (problem: FieldProblem | undefined) => string | undefined {
  const t = useText();
  return (problem) => problem && t(problem.text, problem.values);
}
