import path from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used; the message names it and the accepted values. */
export class SettingError extends Error {}

export const findSetting = (env: Environment, name: string): string | undefined => env[name] || undefined;

/** Splits a comma-separated setting and trims each part. */
export const listed = (env: Environment, name: string): string[] =>
  (env[name] ?? '').split(',').flatMap((entry) => entry.trim() || []);

/** Reads a comma-separated list of host names and addresses, in lower case and without ports or brackets. */
export const hostsOf = (env: Environment, name: string): string[] =>
  listed(env, name).map((entry) => {
    const host = entry.toLowerCase().replace(/^\[|\]$/g, '');
    const text = host.includes(':') ? `http://[${host}]/` : `http://${host}/`;
    const isHost = URL.canParse(text) && new URL(text).hostname.replace(/^\[|\]$/g, '') === host;
    if (isHost) return host;
    throw new SettingError(
      `${name} must list hosts without ports, separated by commas, such as chat.internal,10.0.0.7.`,
    );
  });

export const flag = (env: Environment, name: string, fallback: boolean): boolean => {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  if (['1', 'true', 'on'].includes(text)) return true;
  if (['0', 'false', 'off'].includes(text)) return false;
  throw new SettingError(`${name} must be 1 or 0.`);
};

export const whole = (
  name: string,
  text: string | undefined,
  range: { min: number; max: number; fallback: number },
): number => {
  if (text === undefined || text === '') return range.fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
  throw new SettingError(`${name} must be a whole number between ${range.min} and ${range.max}.`);
};

export const pathOf = (env: Environment, name: string): string | undefined => {
  const text = env[name];
  return text ? path.resolve(text) : undefined;
};
