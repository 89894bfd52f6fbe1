import type { Condition, Interface, InterfaceBinding } from '#shared/interfaces/contract';
import type { InterfacePhase } from '#shared/interfaces/machine';
import { wellKnownKindOf } from '#shared/interfaces/well-known';
import { findText, type TextId } from '../../i18n/text.ts';
import { webAddress } from '../../ui/address.ts';
import type { StatusText } from '../status-text.ts';

export const interfacePhaseTexts: Readonly<Record<InterfacePhase, StatusText>> = {
  Pending: { text: 'interfaces.phase.Pending', tone: 'neutral' },
  Resolved: { text: 'interfaces.phase.Resolved', tone: 'good' },
  NotReady: { text: 'interfaces.phase.NotReady', tone: 'warn' },
  Unknown: { text: 'interfaces.phase.Unknown', tone: 'warn' },
  Terminating: { text: 'interfaces.phase.Terminating', tone: 'warn' },
  Retired: { text: 'interfaces.phase.Retired', tone: 'neutral' },
};

/** Returns the text for the type of an Interface; undefined for the types of other products. */
export function interfaceKindText(type: string): TextId | undefined {
  const kind = wellKnownKindOf(type);
  return kind && `interfaces.kind.${kind}`;
}

/** Returns the address of an Interface; undefined when it has none, or one that no browser opens. */
export function addressOf({ spec, status }: Pick<Interface, 'spec' | 'status'>): string | undefined {
  const value = status.resolvedInputs?.[spec.access.resourceUriInput ?? 'endpoint'];
  return webAddress(value);
}

type Reason = { text: TextId; message: string | undefined };
const reasonIn = (conditions: readonly Condition[] | undefined, prefix: 'interfaces' | 'binding') => {
  const found = conditions?.find(({ type, reason }) => type === 'Ready' && reason !== undefined);
  const text = found && findText(`${prefix}.reason.${found.reason}`);
  return text && { text, message: found.message };
};

/** Returns why an Interface is not ready, with the message of the server. */
export const interfaceReasonOf = ({ status }: Interface): Reason | undefined =>
  reasonIn(status.conditions, 'interfaces');

/** Returns why an InterfaceBinding is not ready. */
export const bindingReasonOf = ({ status }: InterfaceBinding): TextId | undefined =>
  reasonIn(status.conditions, 'binding')?.text;
