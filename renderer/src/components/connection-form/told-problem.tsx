import { useText } from '../../i18n/text.ts';
import type { Told } from './draft.ts';

/** What is wrong with a field, as a sentence; undefined when nothing is. */
export function useTold(): (told: Told | undefined) => string | undefined {
  const t = useText();
  return (told) => told && t(told.text, told.values);
}
