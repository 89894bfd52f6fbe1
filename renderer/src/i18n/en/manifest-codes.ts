import type { ManifestIgnoredReason, ManifestRefusal } from '#shared/manifest/contract';

type ManifestReason = ManifestIgnoredReason | ManifestRefusal;
/** Keys of one sentence per word, as they are asked for. */
type ManifestCodeTexts<Prefix extends string> = {
  [W in ManifestReason as `${Prefix}repository_install_ux_${W}`]: string;
};

/** The same sentences under the keys of a place that shows them. */
export const manifestTexts = <const Prefix extends string>(
  prefix: Prefix,
  messages: Readonly<Record<ManifestReason, string>>,
): ManifestCodeTexts<Prefix> =>
  Object.fromEntries(
    Object.entries(messages).map(([reason, text]) => [`${prefix}repository_install_ux_${reason}`, text]),
  ) as ManifestCodeTexts<Prefix>;

/** Reasons why a manifest is not used or cannot be adopted. */
export const manifestMessages: Readonly<Record<ManifestReason, string>> = {
  not_regular_file: 'The manifest is not a regular file, so it is not used.',
  too_large: 'The manifest is too large, so it is not used.',
  invalid_utf8: 'The manifest is not UTF-8 text, so it is not used.',
  invalid_document: 'The manifest has a mistake, so it is not used.',
  manifest_api_version_required:
    'The policy here installs only what a manifest of a certain version describes. Choose a commit that has one.',
  module_missing: 'The manifest does not describe this module. Choose another module, or add it to the manifest.',
  module_path_invalid: 'The path of the module cannot be named in a manifest. Choose another folder.',
  compatibility_report_mismatch: 'The check belongs to another module or commit. Inspect the repository again.',
  variable_missing:
    'The manifest names a variable that the module does not have. Correct the manifest, then sync again.',
  variable_type_mismatch:
    'The manifest gives a variable another type than the module. Correct the manifest, then sync again.',
  variable_default_mismatch:
    'The manifest relies on a default that the module does not have. Correct the manifest, then sync again.',
  interface_output_missing:
    'The manifest offers an Output that the module does not have. Correct the manifest, then sync again.',
  interface_output_sensitive:
    'The manifest offers an Output that may hold a secret. Correct the manifest, then sync again.',
  interface_output_ephemeral:
    'The manifest offers an Output that is not stored. Correct the manifest, then sync again.',
  interface_permission_disallowed:
    'The manifest asks for a permission that the policy here does not allow. Ask an operator.',
  interface_delivery_disallowed:
    'The manifest asks for a delivery that the policy here does not allow. Ask an operator.',
  output_allowlist_conflict: 'The manifest wants an Output public in another way than the operator. Ask an operator.',
  interface_blueprint_conflict: 'The operator has set up another Interface under the same name. Ask an operator.',
  requirement_disallowed: 'The module asks for something that the policy here does not allow. Ask an operator.',
  requirement_target_invalid:
    'The manifest delivers a value to a variable that is not a string. Correct the manifest, then sync again.',
  requirement_target_reserved:
    'The manifest delivers something to a reserved variable. Correct the manifest, then sync again.',
  runtime_binding_unavailable: 'The module needs values while it runs, which this server cannot give yet.',
  oidc_scope_disallowed: 'The module asks for a sign-in that the policy here does not allow. Ask an operator.',
  source_build_conflict:
    'The build of the manifest names files that cannot all exist. Correct the manifest, then sync again.',
};
