import type { ClientMetadata } from 'oidc-provider';
import type { IssuerClient } from './ports.ts';
import { insideScopes } from './scopes.ts';

/** Returns the metadata of a client in the form of OpenID Connect Registration 1.0, 2. */
export function clientMetadataOf(client: IssuerClient): ClientMetadata {
  const { clientId, name, redirectUris, isNative, authMethod, secretHash, scopes } = client;
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: [...redirectUris],
    application_type: isNative ? 'native' : 'web',
    token_endpoint_auth_method: authMethod,
    // The hash is compared in place of the secret.
    ...(secretHash !== undefined && { client_secret: secretHash }),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: insideScopes(scopes.join(' ')),
    id_token_signed_response_alg: 'ES256',
  };
}
