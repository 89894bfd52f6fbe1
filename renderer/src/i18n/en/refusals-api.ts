import type { ArgumentReason, ErrorCode, ReadOnlyReason } from '#shared/errors';

type Code = ArgumentReason | ErrorCode | ReadOnlyReason;

/** Refusals of the API, with their remedies. A code without a text does not compile. */
export const apiRefusals = {
  'refusal.invalid_request': 'The server could not use what was sent. Correct what it names below, then try again.',
  'refusal.invalid_json': 'What was sent is not valid JSON. Reload the page, then try again.',
  'refusal.invalid_argument': 'A value was not accepted. Correct what is named below, then try again.',
  'refusal.idempotency_key_required': 'The request came without its Idempotency-Key. Reload the page, then try again.',
  'refusal.install_link_invalid':
    'This install link cannot be used. Ask for a new one, or enter the address of the repository.',
  'refusal.invalid_session': 'Your session has ended. Sign in again.',
  'refusal.invalid_token': 'The token is wrong, revoked or has expired. Use another token.',
  'refusal.invalid_credentials': 'Incorrect sign-in details. Check them, then try again.',
  'refusal.unauthenticated': 'You are not signed in. Sign in, then try again.',
  'refusal.unauthorized': 'The server could not verify your identity. Sign in again.',
  'refusal.forbidden': 'Your role in this Workspace does not allow this. Ask its owner.',
  'refusal.insufficient_scope': 'The token does not have the right to do this. Use one with the scope it needs.',
  'refusal.csrf_failed': 'The request could not be traced to this page. Reload the page, then try again.',
  'refusal.login_not_allowed': 'This account may not sign in here. Ask the operator of this server.',
  'refusal.workspace_membership_inactive': 'Your membership of this Workspace is not active. Ask its owner.',
  'refusal.not_found': 'Not found. It may have been deleted.',
  'refusal.connection_not_found': 'Connection not found. Choose another one.',
  'refusal.token_not_found': 'Token not found. Reload the list.',
  'refusal.workspace_not_found': 'Workspace not found, or you are not a member of it. Choose another one.',
  'refusal.invitation_not_found': 'Invitation not found. Ask for a new one.',
  'refusal.method_not_allowed':
    'The server does not support this request. Reload the page: it may be older than the server.',
  'refusal.request_timeout': 'The request took too long to arrive. Check the network, then try again.',
  'refusal.failed_precondition': 'This cannot be done in the present state. Reload the page to see what has changed.',
  'refusal.idempotency_conflict': 'The same key was already used for another request. Reload the page, then try again.',
  'refusal.already_exists': 'This already exists. Use it, or choose another name.',
  'refusal.conflict': 'This was modified by another request. Reload the page and try again.',
  'refusal.reconcile_in_progress':
    'Another request is already advancing the installation. Wait a moment, then try again.',
  'refusal.reconcile_conflict': 'The installation has advanced. Reload it, then continue from there.',
  'refusal.repository_install_ux_stale':
    'The install form of the repository has changed since you opened it. Inspect the repository again.',
  'refusal.repository_install_ux_invalid':
    'The install form of the repository cannot be used. Correct it in the repository, then inspect the repository again.',
  'refusal.request_too_large': 'The request is too large. Send less.',
  'refusal.unsupported_media_type': 'The server does not accept this kind of content. Reload the page, then try again.',
  'refusal.misdirected_request':
    'The server does not answer to this address. Open the address it printed when it started.',
  'refusal.rate_limited': 'Too many requests. Wait a moment, then try again.',
  'refusal.headers_too_large': 'The request headers are too large. Delete the cookies for this site, then try again.',
  'refusal.internal_error': 'Internal error. The log of the server has the details. Try again.',
  'refusal.capability_not_available': 'This server cannot do that. Ask its operator.',
  'refusal.feature_unavailable':
    'This is not part of this version, or disabled here. Continue without it, or ask the operator.',
  'refusal.runner_unavailable':
    'This Run would use the tool of the server. OpenTofu or Terraform is missing there, or the sandbox that the server requires does not work. Install what is missing, or choose a pool of runner machines, then try again.',
  'refusal.ledger_read_only':
    'The server does not accept changes at the moment, for example because its disk is full. Try again later.',
  'refusal.fence_lost':
    'Another server has taken the fence of this installation, so this one accepts no changes. Work there, or run groundctl fence take here when it is gone for good.',
  'refusal.fence_unconfirmed':
    'The server cannot confirm that it is the one that may write, so it accepts no changes. It goes on when NATS answers again.',
  'refusal.vault_sealed': 'The vault is sealed, so secrets cannot be read. Unseal it, then try again.',
  'refusal.verification_unavailable': 'This cannot be verified at the moment. Try again later.',
  'refusal.inventory_unavailable': 'The inventory cannot be read at the moment. Try again later.',
  'refusal.workspace_authority_unavailable':
    'Your rights in the Workspace cannot be checked at the moment. Try again later.',
  'refusal.session_revocation_unavailable': 'The session cannot be ended at the moment. Try again later.',
  'refusal.secret_like_value':
    'A value looks like a secret and would be stored in plain text. Remove it, then try again.',
  'refusal.plan_not_comparable': 'That is not another plan of this Capsule. Choose another one.',
  'refusal.writable_path_refused': 'A module cannot be given this folder. Name an existing folder of your own.',
  'refusal.hold_end_invalid': 'A hold must end in the future. Choose a later time.',
  'refusal.empty_patch': 'Nothing was changed. Change at least one field, then save.',
  'refusal.handle_invalid': 'The handle cannot be used. Choose another one.',
  'refusal.handle_mismatch': 'This is not the handle of this Workspace. Type it as it is shown.',
  'refusal.slug_invalid': 'The short name cannot be used in addresses. Choose another one.',
  'refusal.role_invalid': 'This role does not exist. Choose owner, admin, member or viewer.',
  'refusal.password_too_weak':
    'This password cannot be used: it needs 12 to 256 characters and must differ from the e-mail.',
  'refusal.git_host_not_allowed':
    'Repositories are not fetched from this host: it is local, reserved or not allowed. Use a public address.',
  'refusal.git_http_not_allowed': 'Plain http:// is not encrypted and not allowed here. Use the https:// address.',
  'refusal.git_file_not_allowed':
    'Repositories on this machine are not allowed. Use an https:// address, or ask the operator to allow them.',
  'refusal.git_ssh_not_supported': 'Repositories are not fetched over SSH. Use the https:// address.',
  'refusal.git_scheme_not_supported':
    'Addresses of this kind are not supported. Use the https:// address of the repository.',
  'refusal.git_url_credentials': 'The address holds a user name or a password. Leave them out.',
  'refusal.git_url_not_plain':
    'The address must be complete, without query, fragment, spaces and backslashes. Correct it.',
  'refusal.path_invalid': 'The path cannot be used. Give “.” or a relative folder, without “..”.',
  'refusal.backup_folder_invalid':
    'Copies cannot be stored in this folder. Use an absolute path of an existing folder below one of GROUNDCTL_BACKUP_FOLDERS.',
  'refusal.ref_invalid': 'The ref cannot be used. Name a branch, a tag, HEAD or a full commit id.',
  'refusal.connection_kind_mismatch':
    'The Connection is of another kind than what is needed here. Choose a fitting one.',
  'refusal.snapshot_paths_differ':
    'The two snapshots are of different folders of the repository. Choose two of the same folder.',
  'refusal.snapshot_file_reserved': 'This file is reserved by the server and cannot be shown. Open another one.',
  'refusal.snapshot_file_not_regular': 'This is a folder, a link or a submodule. Open a regular file.',
  'refusal.snapshot_file_too_large': 'The file is too large to be shown here. Read it in the repository.',
  'refusal.snapshot_file_invalid_utf8':
    'The file is not UTF-8 text, so it cannot be shown here. Open it in the repository.',
  'refusal.module_path_required': 'The snapshot holds several modules. Choose one.',
  'refusal.module_path_not_found':
    'The snapshot has no folder with configuration files at this path. Correct the path, or choose a listed module.',
  'refusal.dependency_self': 'A Capsule cannot depend on itself. Choose another one.',
  'refusal.dependency_outputs_empty': 'Choose at least one Output and the variable it goes into.',
  'refusal.remote_state_cross_workspace':
    'A state never leaves its Workspace. Ask for single Outputs to be shared instead.',
  'refusal.share_outputs_empty': 'Choose at least one Output to share.',
  'refusal.share_output_unknown':
    'The current state has no Output of this name. Apply the Capsule first, or choose another one.',
  'refusal.share_output_sensitive': 'This Output is sensitive. Give a reason for sharing it, or leave it out.',
  'refusal.install_variable_invalid': 'An input was refused. Correct it, then plan again.',
  'refusal.install_variable_required': 'A required input is missing. Fill it in, then plan again.',
  'refusal.provider_binding_mismatch':
    'The provider bindings do not fit the providers of the module. Choose them again.',
  'refusal.provider_binding_duplicate': 'A provider configuration is bound twice. Choose one Connection for it.',
  'refusal.preflight_required': 'This has to be checked beforehand. Run the check, then try again.',
  'refusal.connection_material_missing': 'A value that the Connection needs is missing or empty. Fill it in.',
  'refusal.module_registry_invalid':
    'The host must be that of module addresses, such as app.terraform.io, and the module namespace/name/provider.',
  'refusal.object_storage_invalid':
    'A setting of the bucket is missing or wrong. Enter the https:// address of the service without a path, and the name of the bucket.',
  'refusal.recipe_unknown': 'The recipe does not exist, or is for another provider. Choose a matching one.',
  'refusal.auth_mode_unknown':
    'The recipe has no such sign-in method, or this server does not support it. Choose another one.',
  'refusal.env_name_undeclared':
    'A name is not accepted by the recipe, appears twice, or would control the tool itself. Correct it.',
  'refusal.env_group_incomplete': 'Some of the values that belong together are missing. Fill in what is named below.',
  'refusal.file_path_invalid':
    'The path of a file cannot be used here. Use one that the recipe names, or a plain relative path.',
  'refusal.import_state_encrypted':
    'The state is encrypted. Run tofu state pull in the folder of the module, and upload its output.',
  'refusal.import_state_version_unsupported':
    'The state is not in format 4. Run a plan with a current tool, which writes that format, and upload it again.',
  'refusal.import_state_invalid':
    'The file is damaged or not a state. Run tofu state pull in the folder of the module, and upload its output.',
  'refusal.runner_pool_default_invalid': 'The default must be one of the pools that the Workspace may use.',
  'refusal.nats_configuration_invalid':
    'Name an address with a port, and paths without quotes. Certificate and key go together. A member of a cluster has a name, an address and routes, and with a certificate also the authority of the members.',
  'refusal.webhook_url_invalid':
    'The address must begin with https:// and contain a host, without a user name, password or fragment.',
  'refusal.webhook_address_not_allowed':
    'This host is on this machine or in a private network. Use a public host, or ask the operator of the server to allow it.',
  'refusal.install_config_patch_invalid':
    'The patch of this InstallConfig has a mistake, so nothing was changed. Correct what is named below.',
  'refusal.form_package_invalid':
    'The form package has mistakes, so it was not installed. Correct what is listed below, then try again.',
  'refusal.capsule_configuration_redacted_value_reserved':
    'The placeholder of a hidden value was sent as the value itself. Enter the real value, or leave it as it is.',
  'refusal.capsule_configuration_manifest_user_variable_invalid':
    'The manifest of this Capsule does not ask for a variable of this name. Check the name, or leave it out.',
  'refusal.capsule_configuration_generic_variable_invalid':
    'The module has no variable of this name. Check the name, or remove it.',
  'refusal.capsule_configuration_required_value_missing': 'A variable without a default has no value. Give it one.',
  'refusal.capsule_configuration_value_type_mismatch': 'A value is not of the type its variable asks for. Correct it.',
  'refusal.capsule_configuration_current_value_invalid':
    'A stored value is no longer valid. Set it again or remove it.',
} as const satisfies Record<`refusal.${Code}`, string>;
