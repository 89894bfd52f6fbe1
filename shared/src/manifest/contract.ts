import { z } from 'zod';
import { RequiredInterfaceMatch } from '../interfaces/required.ts';

/**
 * Reasons why a document is not a valid manifest: details of `invalid_document` for the person who asks why it was
 * ignored.
 */
const manifestProblemCodes = [
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

/**
 * One mistake: a JSON Pointer (RFC 6901) whose unusual keys are replaced by `*`, and a sentence that never contains a
 * value.
 */
export const ManifestProblem = z.strictObject({
  pointer: z.string(),
  code: z.enum(manifestProblemCodes),
  message: z.string(),
});
export type ManifestProblem = z.infer<typeof ManifestProblem>;

/** Reasons why the manifest of a snapshot is not used; the installation continues without it. */
const manifestIgnoredReasons = ['not_regular_file', 'too_large', 'invalid_utf8', 'invalid_document'] as const;
/** Reasons why a valid manifest cannot be adopted; the installation is refused. */
export const manifestRefusals = [
  'manifest_api_version_required',
  'module_missing',
  'module_path_invalid',
  'compatibility_report_mismatch',
  'variable_missing',
  'variable_type_mismatch',
  'variable_default_mismatch',
  'interface_output_missing',
  'interface_output_sensitive',
  'interface_output_ephemeral',
  'interface_permission_disallowed',
  'interface_delivery_disallowed',
  'output_allowlist_conflict',
  'interface_blueprint_conflict',
  'requirement_disallowed',
  'requirement_target_invalid',
  'requirement_target_reserved',
  'runtime_binding_unavailable',
  'oidc_scope_disallowed',
  'source_build_conflict',
] as const;
export type ManifestIgnoredReason = (typeof manifestIgnoredReasons)[number];
export type ManifestRefusal = (typeof manifestRefusals)[number];

const prefix = 'repository_install_ux_';
type Code<Reason extends string> = `${typeof prefix}${Reason}`;
/** A reason as used in `diagnosticCode`. */
export const manifestCode = <const Reason extends string>(reason: Reason): Code<Reason> => `${prefix}${reason}`;
const isIgnored = (code: string): boolean => manifestIgnoredReasons.some((reason) => manifestCode(reason) === code);

export const manifestCodes = [...manifestIgnoredReasons, ...manifestRefusals].map((reason) => manifestCode(reason));

/**
 * Result of the manifest for one module. `invalid` with the code of an ignored document continues without it; with any
 * other code nothing is installed.
 */
export const RepositoryInstallUx = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('absent') }),
  z.strictObject({
    status: z.literal('accepted'),
    installConfigId: z.string(),
    /** Interfaces of the Workspace that the module uses, and those that fit now; absent when it uses none. */
    requiredInterfaces: z.array(RequiredInterfaceMatch).optional(),
  }),
  z.strictObject({ status: z.literal('invalid'), diagnosticCode: z.enum(manifestCodes), message: z.string() }),
]);
export type RepositoryInstallUx = z.infer<typeof RepositoryInstallUx>;

/** Reports whether an installation may continue with the plain configuration. */
export const isPassable = (ux: RepositoryInstallUx): boolean => ux.status !== 'invalid' || isIgnored(ux.diagnosticCode);
