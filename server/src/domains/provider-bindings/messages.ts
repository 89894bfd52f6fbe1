import type { ProviderBlockReason } from '#shared/runs/provider-resolution';

const messages: Readonly<Record<ProviderBlockReason, string>> = {
  connection_required: 'The provider % needs a Connection and has none. Bind one, then plan.',
  connection_missing: 'The Connection bound to % does not exist. Bind another, then plan.',
  connection_foreign: 'The Connection bound to % belongs to another Workspace. Bind another, then plan.',
  connection_revoked: 'The Connection bound to % was revoked. Create a new one and bind that, then plan.',
  connection_expired:
    'The Connection bound to % has expired. Create one with fresh credentials and bind that, then plan.',
  connection_error: 'The Connection bound to % failed its last test. Test it again or bind another, then plan.',
  connection_registry: 'The Connection bound to % is for a module registry. Bind another, then plan.',
  connection_storage: 'The Connection bound to % is for object storage. Bind another, then plan.',
  connection_git: 'The Connection bound to % is for Git repositories. Bind another, then plan.',
  connection_managed:
    'The Connection bound to % belongs to a platform whose profile this server does not receive. Bind another, then plan.',
  connection_material: 'The values of the Connection bound to % are gone. Create a new one and bind that, then plan.',
  credential_env_conflict:
    'The Connection bound to % and another one set the same variable of the environment, and the block of this provider cannot take them apart. Bind one Connection for both, then plan.',
  module_input_conflict:
    'The Connection bound to % and another one give a variable of the module different values. Set the variable yourself, then plan.',
  connection_not_allowed: 'A policy does not allow the Connection bound to %. Bind another, then plan.',
  connection_not_temporary:
    'A policy asks for credentials that end, and the Connection bound to % has no end. Bind one with an expiry, then plan.',
  connection_ttl_not_enforced:
    'A policy asks for credentials whose end is enforced, and no stored Connection is that. Bind one whose credentials are issued to each Run, then plan.',
};

/** Returns the problem with the Connection of a provider configuration such as `aws.west`, and the remedy. */
export const blockReasonMessage = (reason: ProviderBlockReason, tuple: string): string =>
  messages[reason].replace('%', () => tuple);
