import { wellKnownInterfaces, wellKnownKindOf } from '#shared/interfaces/well-known';
import { readLanguage, useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';

type Allowance = { who: string; permissions: readonly string[] };

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Formats who may do what as a sentence: in plain words for the permission of a well-known type. */
export function usePermissionText(): (type: string, allowance: Allowance) => string {
  const t = useText();
  return (type, { who, permissions }) => {
    const kind = wellKnownKindOf(type);
    const isPlain = kind && permissions.length === 1 && permissions[0] === wellKnownInterfaces[kind].permission;
    // Japanese puts a space between a name in Latin letters and the following text.
    const name = readLanguage() === 'ja' && /[!-~]$/.test(who) ? `${who} ` : who;
    if (isPlain) return capitalized(t(`interfaces.may.${kind}`, { who: name }));
    return capitalized(t('interfaces.may', { who: name, permissions: permissions.map(visibleText).join(', ') }));
  };
}
