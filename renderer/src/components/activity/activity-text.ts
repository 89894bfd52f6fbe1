import type { ActivityEvent } from '#shared/activity/contract';
import { findText, readLanguage, useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useWho } from '../who.ts';

/** Japanese puts a space between a name in Latin letters and the following text. */
const spaced = (name: string): string => (readLanguage() === 'ja' && /[!-~]$/.test(name) ? `${name} ` : name);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Formats a row of the history as a sentence. An unknown action of a newer server is shown by its name. */
export function useActivityText(): (event: ActivityEvent) => string {
  const t = useText();
  const who = useWho();
  return ({ action, actorId }) => {
    const id = findText(`activity.${action}`);
    const values = { who: spaced(who(actorId ?? 'system')), action: visibleText(action) };
    return capitalized(t(id ?? 'activity.unknown', values));
  };
}

const named = ['name', 'capsuleName', 'displayName', 'producerCapsuleName'] as const;

/** Returns the name of a row's record when the metadata holds one. */
export function nameIn({ metadata }: Pick<ActivityEvent, 'metadata'>): string | undefined {
  const name = named.map((key) => metadata[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? visibleText(name) : undefined;
}
