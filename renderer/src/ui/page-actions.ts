/** Attribute of a part of the page whose buttons and links the palette offers as actions. */
export const pageActionsMark = { 'data-page-actions': '' } as const;

export type PageAction = { label: string; run: () => void };

const isUsable = (element: HTMLElement): boolean =>
  !element.matches(':disabled, [aria-disabled=true]') && element.closest('fieldset:disabled') === null;

const labelOf = (element: HTMLElement): string => (element.ariaLabel ?? element.textContent).trim();

const findActions = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('[data-page-actions]')]
    .flatMap((part) => [...part.querySelectorAll<HTMLElement>('button, a[href]')])
    .filter((element) => isUsable(element) && labelOf(element) !== '');

/**
 * Returns what the buttons and links of the page do. Only those are there that the caller's role and the state of the
 * record allow.
 */
export function readPageActions(): PageAction[] {
  const labels = [...new Set(findActions().map(labelOf))];
  return labels.map((label) => ({
    label,
    // Looked for again, because the page goes on while the palette is open.
    run: () =>
      findActions()
        .find((element) => labelOf(element) === label)
        ?.click(),
  }));
}
