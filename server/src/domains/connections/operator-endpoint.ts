import { z } from 'zod';
import { isLoopbackHost } from '#server/kernel/settings';

/** An address in a file of the operator that receives secrets. Plain http is only for this machine. */
export const OperatorEndpoint = z.url().refine((text) => {
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}, 'Must be an https address.');
