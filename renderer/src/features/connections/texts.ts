import type { Connection } from '#shared/connections/contract';
import { moduleRegistryKind } from '#shared/connections/module-registry';
import { objectStorageKind } from '#shared/connections/object-storage';
import { homeOf, hostOf } from '../../api/connections.ts';
import { connectionName } from '../../components/repository-access.tsx';
import { readLanguage, type TextId } from '../../i18n/text.ts';
import { serverNow } from '../../ui/time.tsx';

/** Purposes of Connections. */
export type PurposeKind = 'provider' | 'git' | 'registry' | 'storage';
export const purposeKindOf = ({ kind }: Pick<Connection, 'kind'>): PurposeKind => {
  if (kind === undefined) return 'provider';
  if (kind === moduleRegistryKind) return 'registry';
  return kind === objectStorageKind ? 'storage' : 'git';
};

/** Returns the purpose of a Connection: a text of the catalogue or the provider it names. */
export const purposeOf = ({ kind, providerSource }: Connection): { text: TextId } | { provider: string } => {
  const purpose = purposeKindOf({ kind });
  return purpose === 'provider' ? { provider: providerSource } : { text: `connection.${purpose}` };
};

/** Reports whether a search matches a Connection by name, provider, host or value name. */
export function isMeant(connection: Connection, search: string): boolean {
  const wanted = search.toLocaleLowerCase();
  const { providerSource, envNames, fileEnvNames = [] } = connection;
  const texts = [
    connectionName(connection),
    providerSource,
    hostOf(homeOf(connection)) ?? '',
    ...envNames,
    ...fileEnvNames,
  ];
  return texts.some((text) => text.toLocaleLowerCase().includes(wanted));
}

const soonMs = 7 * 24 * 60 * 60_000;
/** Reports whether it expires within a week or has expired. */
export const endsSoon = (at: string): boolean => Date.parse(at) - serverNow() < soonMs;

const dayMs = 24 * 60 * 60_000;
const nearDays = 14;

/** Returns the expiry of a Connection: “in 3 days” when it is near, else the day. */
export function endText(at: string): string {
  const left = Date.parse(at) - serverNow();
  const days = Math.floor(left / dayMs);
  if (left < 0 || days > nearDays) return dayText(at);
  const relative = new Intl.RelativeTimeFormat(readLanguage(), { numeric: 'auto' });
  return days >= 1
    ? relative.format(days, 'day')
    : relative.format(Math.max(Math.floor(left / (dayMs / 24)), 1), 'hour');
}

export const dayText = (at: string): string => new Date(at).toLocaleDateString(readLanguage(), { dateStyle: 'medium' });
