import { timingSafeEqual } from 'node:crypto';
import type { IssuerPerson } from '#server/drivers/issuer/index';
import type { Clock } from '#server/kernel/clock';
import { hmacHex, type MacKey } from '#server/kernel/digest';
import { oidcLifetimes } from '#shared/issuer/contract';

/**
 * Marks of the time at which a client has forced a sign-in. They pass through the browser, so each has a MAC over its
 * request. A mark is as short-lived as a page of consent.
 */
export function createLoginMarks(clock: Clock, key: MacKey) {
  const macOf = (millis: string, request: string): string => hmacHex(key, `${millis}\n${request}`);
  const isCurrent = (millis: number): boolean => clock.now() - millis <= oidcLifetimes.consentPage * 1_000;
  return {
    createLoginMark(request: string): string {
      const millis = String(clock.now());
      return `${millis}.${macOf(millis, request)}`;
    },
    isAfterMark(mark: string, request: string, { signedInAt }: IssuerPerson): boolean {
      const [millis = '', mac = ''] = mark.split('.', 2);
      const expected = Buffer.from(macOf(millis, request));
      const sent = Buffer.from(mac);
      const isGenuine = sent.length === expected.length && timingSafeEqual(sent, expected);
      return isGenuine && isCurrent(Number(millis)) && signedInAt > Number(millis);
    },
  };
}
