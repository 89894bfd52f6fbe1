import { timingSafeEqual } from 'node:crypto';
import type { IssuerPerson } from '#server/drivers/issuer/index';
import type { Clock } from '#server/kernel/clock';
import { hmacHex, type MacKey } from '#server/kernel/digest';

/** Marks of the time at which a client has forced a sign-in. They pass through the browser, so each has a MAC. */
export function createLoginMarks(clock: Clock, key: MacKey) {
  const macOf = (seconds: string): string => hmacHex(key, seconds);
  return {
    createLoginMark(): string {
      const seconds = String(Math.floor(clock.now() / 1_000));
      return `${seconds}.${macOf(seconds)}`;
    },
    isAfterMark(mark: string, { signedInAt }: IssuerPerson): boolean {
      const [seconds = '', mac = ''] = mark.split('.', 2);
      const expected = Buffer.from(macOf(seconds));
      const sent = Buffer.from(mac);
      return sent.length === expected.length && timingSafeEqual(sent, expected) && signedInAt >= Number(seconds);
    },
  };
}
