import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** Returns a new secret in the form of the Standard Webhooks specification. */
export const newSigningSecret = (): string => prefix + randomBytes(secretBytes).toString('base64');

type Signed = { id: string; timestamp: number; body: string };

/**
 * Returns the headers of the Standard Webhooks specification, version 1: id, time in seconds, and one signature for each
 * secret, separated by a space.
 */
export function signatureHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
