import { visibleText } from '../../ui/visible-text.ts';

/** Returns the name of a Resource of the form host; undefined without an id. */
export function useFormResourceName(id: string | undefined): string | undefined {
  return id === undefined ? undefined : visibleText(id);
}
