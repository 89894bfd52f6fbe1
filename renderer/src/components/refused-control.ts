import { ApiError } from '../api/client.ts';

/** Opens the folds around a control and moves the focus to it. */
export function focusControl(control: HTMLElement): void {
  for (let fold = control.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
    fold.open = true;
  control.focus({ preventScroll: true });
  control.scrollIntoView({ block: 'center' });
}

const invalid = '[aria-invalid="true"]';

/** Returns the invalid controls of a form, in their order. */
export const findInvalidControls = (form: HTMLFormElement): HTMLElement[] => [
  ...form.querySelectorAll<HTMLElement>(invalid),
];

/** Moves the focus to the first invalid control of a form, once the form shows which ones are. */
export const focusInvalid = (form: HTMLFormElement | null): number =>
  requestAnimationFrame(() => form?.querySelector<HTMLElement>(invalid)?.focus());

/**
 * Returns the control of the member that a refusal names by its JSON Pointer, in the form around an element. An input of
 * a module is marked with its name.
 */
export function findRefusedControl(inside: HTMLElement | null, error: unknown): HTMLElement | undefined {
  const field = error instanceof ApiError ? error.details['field'] : undefined;
  const form = inside?.closest('form');
  if (typeof field !== 'string' || !form) return undefined;
  const name = CSS.escape(field.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '');
  const controls = ':is(input, textarea, select, button)';
  return form.querySelector<HTMLElement>(`[data-input="${name}"] ${controls}, [name="${name}"]`) ?? undefined;
}
