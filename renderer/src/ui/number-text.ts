import { i18n } from '../i18n/text.ts';

/** Formats `12,345` as `{count, number}` does in the catalogue, whatever language the browser prefers. */
export const numberText = (value: number): string => new Intl.NumberFormat(i18n.locale || 'en').format(value);

const byteUnits = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** Formats bytes as `512 B`, `1.5 KiB`, `64 MiB`: at most one decimal. */
export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_024 && unit < byteUnits.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${numberText(Math.round(size * 10) / 10)} ${byteUnits[unit]}`;
}
