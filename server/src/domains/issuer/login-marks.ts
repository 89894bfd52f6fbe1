import { timingSafeEqual } from 'node:crypto';
import type { IssuerPerson } from '#server/drivers/issuer/index';
import type { Clock } from '#server/kernel/clock';
import { hmacHex, type MacKey } from '#server/kernel/digest';

/** Marks of the time at which a client has forced a sign-in. They pass through the browser, so each has a MAC. */
export function createLoginMarks(clock: Clock, key: MacKey) {
  const macOf = (millis: string): string => hmacHex(key, millis);
  return {
    createLoginMark(): string {
      const millis = String(clock.now());
      return `${millis}.${macOf(millis)}`;
    },
    isAfterMark(mark: string, { signedInAt }: IssuerPerson): boolean {
      const [millis = '', mac = ''] = mark.split('.', 2);
      const expected = Buffer.from(macOf(millis));
      const sent = Buffer.from(mac);
      return sent.length === expected.length && timingSafeEqual(sent, expected) && signedInAt > Number(millis);
    },
  };
}
