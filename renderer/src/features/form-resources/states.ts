import type { FormResourceRecord } from '#shared/form-resources/contract';
import type { TextId } from '../../i18n/text.ts';
import type { Tone } from '../../ui/pill.tsx';

export const formResourceStates = ['ready', 'drifted', 'missing', 'uninstalled'] as const;
export type FormResourceState = (typeof formResourceStates)[number];

type Observed = Pick<FormResourceRecord, 'ready' | 'driftedFields' | 'formInstalled'>;

/** Returns the state of the native object as last compared, and whether the form is not installed. */
export function statesOf({ ready, driftedFields, formInstalled }: Observed): FormResourceState[] {
  const present = driftedFields.length > 0 ? 'drifted' : 'ready';
  return [ready ? present : 'missing', ...(formInstalled ? [] : (['uninstalled'] as const))];
}

/** `option`: text of the state where it is chosen as a filter. */
export const stateTexts: Readonly<Record<FormResourceState, { text: TextId; option: TextId; tone: Tone }>> = {
  ready: { text: 'formResources.state.ready', option: 'formResources.state.ready', tone: 'good' },
  drifted: { text: 'formResources.state.drifted', option: 'formResources.state.drifted.option', tone: 'warn' },
  missing: { text: 'formResources.state.missing', option: 'formResources.state.missing', tone: 'bad' },
  uninstalled: { text: 'formResources.state.uninstalled', option: 'formResources.state.uninstalled', tone: 'neutral' },
};
