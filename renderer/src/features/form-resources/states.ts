import {
  type FormResourceRecord,
  type FormResourceStatusName,
  formResourceStatuses,
} from '#shared/form-resources/contract';
import type { TextId } from '../../i18n/text.ts';
import type { Tone } from '../../ui/pill.tsx';

export type FormResourceState = FormResourceStatusName | 'uninstalled';

type Observed = Pick<FormResourceRecord, 'ready' | 'driftedFields' | 'formInstalled'>;

/** Returns the state of the native object as last compared, and whether the form is not installed. */
export function statesOf({ ready, driftedFields, formInstalled }: Observed): FormResourceState[] {
  const present = driftedFields.length > 0 ? 'drifted' : 'ready';
  return [ready ? present : 'missing', ...(formInstalled ? [] : (['uninstalled'] as const))];
}

export const stateTexts: Readonly<Record<FormResourceState, { text: TextId; tone: Tone }>> = {
  ready: { text: 'formResources.state.ready', tone: 'good' },
  drifted: { text: 'formResources.state.drifted', tone: 'warn' },
  missing: { text: 'formResources.state.missing', tone: 'bad' },
  uninstalled: { text: 'formResources.state.uninstalled', tone: 'neutral' },
};

const optionTexts: Readonly<Record<FormResourceStatusName, TextId>> = {
  ready: 'formResources.state.ready',
  drifted: 'formResources.state.drifted.option',
  missing: 'formResources.state.missing',
};

/** States that can be chosen as a filter. The ledger does not store whether a form is installed, so the list cannot be filtered by it. */
export const statusOptions = formResourceStatuses.map((value) => ({ value, text: optionTexts[value] }));
