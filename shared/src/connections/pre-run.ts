/** Token requests of RFC 6749 that a Run can start with (4.4 and 6). */
export const preRunTypes = ['oauth_client_credentials', 'oauth_refresh_token'] as const;
export type PreRunType = (typeof preRunTypes)[number];

/** Name under which the token of the answer is `generated` material. */
export const accessTokenName = 'access_token';

type Inputs = { required: readonly string[]; optional: readonly string[] };

/** Names of the inputs of each token request. */
const inputs: Readonly<Record<PreRunType, Inputs>> = {
  oauth_client_credentials: {
    required: ['token_url', 'client_id', 'client_secret'],
    optional: ['scope', 'audience'],
  },
  oauth_refresh_token: {
    required: ['token_url', 'client_id', 'refresh_token'],
    optional: ['client_secret', 'scope', 'audience'],
  },
};

export const requiredInputs = (type: PreRunType): readonly string[] => inputs[type].required;
export const inputNames = (type: PreRunType): readonly string[] => [...inputs[type].required, ...inputs[type].optional];
