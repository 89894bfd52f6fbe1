import type { DeliveryError } from '#shared/webhooks/contract';

/** A failed attempt to deliver. It has a class and no message, so that it cannot quote an address or an answer. */
export class WebhookError extends Error {
  readonly kind: DeliveryError;
  constructor(kind: DeliveryError) {
    super(kind);
    this.kind = kind;
  }
}

const certificateCodes = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/;

/** Returns the class of an error of a socket. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof WebhookError) return error.kind;
  const code = String((error as { code?: unknown }).code ?? '');
  return certificateCodes.test(code) ? 'certificate_refused' : 'connection_failed';
}
