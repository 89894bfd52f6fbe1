import { i18n } from '../../i18n/text.ts';

type Clock = { now?: Date; timeZone?: string };

/** Formats an hour of the day in UTC as the clock of the person shows it, with UTC beside it when that differs. */
export function hourText(hour: number, { now = new Date(), timeZone }: Clock = {}): string {
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hour));
  const form = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const textIn = (zone: string | undefined) =>
    at.toLocaleTimeString(i18n.locale || 'en', { ...form, ...(zone !== undefined && { timeZone: zone }) });
  const utc = `${textIn('UTC')} UTC`;
  return textIn(timeZone) === textIn('UTC') ? utc : `${textIn(timeZone)} (${utc})`;
}
