import { z } from 'zod';

/** Why a document is no manifest: details of `invalid_document` for the person who asks why it was ignored. */
export const manifestProblemCodes = [
  'json_invalid',
  'version_unknown',
  'field_unknown',
  'field_missing',
  'type_invalid',
  'value_invalid',
  'text_invalid',
  'path_invalid',
  'number_out_of_range',
  'count_out_of_range',
  'depth_exceeded',
  'not_unique',
  'default_module_unknown',
  'input_secret_invalid',
  'input_default_required',
  'input_env_secret',
  'delivery_repeated',
  'oidc_slots_incomplete',
  'oidc_endpoint_missing',
  'oidc_scope_openid_missing',
  'feature_input_invalid',
  'resource_uri_input_unknown',
  'output_type_conflict',
  'secret_like_value',
  'host_authority_key',
] as const;
export type ManifestProblemCode = (typeof manifestProblemCodes)[number];

/** One mistake: a JSON Pointer (RFC 6901) whose unusual keys stand as `*`, and a sentence that never holds a value. */
export const ManifestProblem = z.strictObject({
  pointer: z.string(),
  code: z.enum(manifestProblemCodes),
  message: z.string(),
});
export type ManifestProblem = z.infer<typeof ManifestProblem>;
