/** Connections of the providers of a module. */
export const bindings = {
  'binding.title': 'Credentials',
  'binding.role': 'Your role plans without Connections. An owner or admin can bind them to the Capsule afterwards.',
  'binding.lead':
    'Choose the credentials that each provider receives for the plan and the apply. Nothing else is given to it.',
  'binding.none': 'No credentials',
  'binding.noneThere': 'No credentials: it has no Connection yet',
  'binding.gone': '{name} · Revoked or gone',
  'binding.new': 'Add a Connection',
  'binding.newFor': 'Add a Connection for {name}',
  'binding.likely': 'It usually needs credentials. Without them the plan may fail when it asks the provider.',
  'binding.others':
    '{count, plural, one {# provider that usually needs no credentials} other {# providers that usually need no credentials}}',
  'binding.gives': 'Provides {names}',
  'binding.givesBlock': 'Provides the arguments of its block',
  'binding.reach': 'What the plan can reach',
  'binding.reach.text':
    'The module, its providers and all that they start can read this while they are planned and applied. Providers are downloaded before that, without any of it.',
  'binding.reach.env': 'Variables of the environment',
  'binding.reach.files': 'Files',
  'binding.reach.arguments': 'Arguments of provider blocks',
  'binding.reach.inputs': 'Inputs of the module',
  'binding.pinned':
    'The plan uses exactly the commit shown here, {commit}. A newer commit is given no credentials without a review.',
  'binding.blocked': 'Choose usable Connections first: see the credentials above.',
  'binding.show': 'Open it',
  'binding.change': 'Change',
  'binding.plan': 'Plan with these',
  'binding.planHelp': 'Creates a plan to review. Nothing changes until it is applied.',
  'binding.unchanged': 'No changes yet.',
  'binding.noProvider': 'The module uses no provider that could be given credentials.',
  'binding.unchecked': 'The module was not checked, so its providers are unknown. Plan again to check it.',
  'binding.noneBound': 'No credentials are given.',
  'binding.stopped.title': 'A provider has no Connection that can be used',
  'binding.stopped.text': 'Nothing can be planned or applied until another one is chosen. What exists stays as it is.',
  'binding.stopped.plan': 'A Connection of this plan cannot be used any more',
  'binding.stopped.planText': 'So the plan cannot be applied. Choose another Connection: that creates a new plan.',
  'binding.choose': 'Choose Connections',
  'binding.run': 'Credentials of this Run',
  'binding.run.none': 'This Run is given no credentials.',
  'binding.openConnection': 'Open the Connection',
  'binding.why.connection_required': 'It needs a Connection and has none. Choose one, or add it here.',
  'binding.why.connection_missing': 'The chosen Connection no longer exists. Choose another one.',
  'binding.why.connection_foreign': 'The chosen Connection belongs to another Workspace. Choose another one.',
  'binding.why.connection_revoked': 'The chosen Connection is revoked. Choose another one, or add a new one.',
  'binding.why.connection_expired': 'The chosen Connection has expired. Choose another one, or add a new one.',
  'binding.why.connection_error': 'The chosen Connection failed its last test. Look at it, or choose another one.',
  'binding.why.connection_git':
    'A token for Git repositories cannot be used for a provider. Choose another Connection.',
  'binding.why.connection_registry':
    'A token for a module registry cannot be used for a provider. Choose another Connection.',
  'binding.why.connection_storage': 'Keys of object storage cannot be used for a provider. Choose another Connection.',
  'binding.why.connection_managed':
    'The chosen Connection needs a platform that is not available here. Choose another one.',
  'binding.why.connection_material': 'The values of the chosen Connection can no longer be read. Add a new one.',
  'binding.why.credential_env_conflict':
    'Two Connections set the same variable to different values, and this provider has no argument for it. Choose the same Connection for both, or install the two parts apart.',
  'binding.why.module_input_conflict':
    'Two Connections give the same input of the module different values. Type a value for that input yourself, or choose one of them for both.',
  'binding.why.connection_not_allowed':
    'The policy of this Workspace does not allow the chosen Connection. Choose another one.',
  'binding.why.connection_not_temporary':
    'The policy of this Workspace requires temporary credentials, and the chosen Connection has no expiry. Choose one that expires.',
  'binding.why.connection_ttl_not_enforced':
    'The policy of this Workspace requires credentials whose expiry is enforced. Choose another Connection.',
} as const;
