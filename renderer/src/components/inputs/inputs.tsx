import type { ComponentProps } from 'react';
import { ManifestInputList } from './form-list.tsx';
import { InputList } from './input-list.tsx';
import type { ManifestForm } from './presented-form.ts';

type Props = Omit<ComponentProps<typeof ManifestInputList>, 'form'> & { form: ManifestForm | undefined };

/** The typed form: as the manifest presents it, or the variables of a plain module. */
export const Inputs = ({ form, ...list }: Props) =>
  form ? <ManifestInputList form={form} {...list} /> : <InputList {...list} />;

/** Moves the focus to the first invalid control once it is rendered. */
export function focusFirst(name: string | undefined): void {
  requestAnimationFrame(() => {
    const scope = name === undefined ? document : document.querySelector(`[data-input="${CSS.escape(name)}"]`);
    const control =
      scope?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      scope?.querySelector<HTMLElement>(':is(input, textarea, select)') ??
      scope?.querySelector<HTMLElement>('button');
    control?.focus();
    control?.scrollIntoView({ block: 'center' });
  });
}
