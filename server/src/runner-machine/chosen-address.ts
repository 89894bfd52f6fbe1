import { StartError } from '#server/kernel/start-error';

/** Addresses of NATS, and its pinned certificate authority as PEM; without one the authorities of the system count. */
export type NatsAddress = { urls: readonly string[]; ca?: string | undefined };
/** Parts of it that the options of the command replace. */
export type ChosenAddress = { urls?: readonly string[] | undefined; ca?: string | undefined };

const isSecure = (urls: readonly string[]): boolean => urls.every((url) => url.startsWith('tls:'));

/**
 * Returns the address of NATS for a machine: the chosen parts replace the earlier ones. Throws `StartError` for
 * addresses without TLS where the earlier ones had it, and for an authority without TLS.
 */
export function chooseAddress(earlier: NatsAddress, chosen: ChosenAddress): NatsAddress {
  const { urls = earlier.urls, ca = earlier.ca } = chosen;
  if (!isSecure(urls) && isSecure(earlier.urls))
    throw new StartError('--connect must use tls://, because this machine was enrolled with it.');
  if (!isSecure(urls) && chosen.ca !== undefined)
    throw new StartError(
      '--authority needs addresses with tls://. Name them with --connect, or leave --authority out.',
    );
  return { urls, ca };
}
