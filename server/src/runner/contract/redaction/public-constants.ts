/**
 * Publicly known texts that occur in credential files. They are never treated as secrets, otherwise every `true` and
 * every service address would be removed from a log.
 */
const publicTexts = new Set(
  [
    'true false null yes no on off none default enabled disabled',
    'apiversion kind config list cluster clusters context contexts current-context user users name namespace server',
    'v1 client.authentication.k8s.io/v1 client.authentication.k8s.io/v1beta1 preferences exec command args env value',
    'type service_account authorized_user external_account impersonated_service_account project_id private_key_id',
    'private_key client_email client_id client_secret refresh_token access_token token id_token auth_uri token_uri',
    'auth_provider_x509_cert_url client_x509_cert_url universe_domain quota_project_id audience subject_token_type',
    'aws_access_key_id aws_secret_access_key aws_session_token region output json profile username password secret',
    'certificate-authority-data client-certificate-data client-key-data insecure-skip-tls-verify host port database',
    'bearer basic http https localhost 127.0.0.1 googleapis.com us-east-1',
  ].flatMap((line) => line.split(' ')),
);

const serviceUrl =
  /^https:\/\/[a-z0-9.-]+\.(googleapis\.com|google\.com|amazonaws\.com|microsoftonline\.com|azure\.com|windows\.net|cloudflare\.com|github\.com)(\/[a-z0-9/_.-]*)?$/i;
const pemFrame = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/;

/** Reports whether a text can never be a secret: PEM frames, well-known keys and words, service addresses. */
export function isPublicConstant(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === '' || pemFrame.test(trimmed)) return true;
  if (publicTexts.has(trimmed.toLowerCase().replace(/:$/, ''))) return true;
  // Certificate addresses of accounts contain an e-mail address, which is also a separate leaf.
  return serviceUrl.test(trimmed);
}
