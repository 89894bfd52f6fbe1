import type { Webhook } from '#shared/webhooks/contract';
import { useText } from '../../i18n/text.ts';
import { Pill, type Tone } from '../../ui/pill.tsx';

type State = 'active' | 'failing' | 'off' | 'disabled';
const tones: Record<State, Tone> = { active: 'good', failing: 'warn', off: 'neutral', disabled: 'bad' };

function stateOf({ enabled, disabled, failingSince }: Webhook): State {
  if (!enabled) return disabled ? 'disabled' : 'off';
  return failingSince === undefined ? 'active' : 'failing';
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const state = stateOf(webhook);
  return <Pill tone={tones[state]}>{t(`webhooks.state.${state}`)}</Pill>;
}
