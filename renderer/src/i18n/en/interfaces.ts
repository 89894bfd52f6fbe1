import type { BindingReason, InterfaceReason, MaterializationError } from '#shared/interfaces/reasons';

const reasons = {
  'interfaces.reason.InvalidResolvedInputs':
    'A value that it needs is missing, sensitive or not public. Make it a public Output of the module, then plan and apply the Capsule. If it comes from a Resource, apply that again.',
  'interfaces.reason.InvalidResourceUri':
    'Its address is not a web address. Correct the Output that holds it, then plan and apply the Capsule.',
  'interfaces.reason.OwnerNotReady':
    'Its Capsule is not applied, or the Workspace is archived. Apply the Capsule, or unarchive the Workspace.',
  'interfaces.reason.OwnerDestroyQueued':
    'Its Capsule is being destroyed. If the destroy does not succeed, it can be used again.',
  'interfaces.reason.PolicyDenied': 'The policy of this server does not allow it. Ask an operator.',
  'interfaces.reason.UnsupportedPolicy': 'It asks for a policy that this server does not support. Ask an operator.',
  'interfaces.reason.RunFailed':
    'The last apply failed before its values existed. Correct the cause, then plan and apply the Capsule.',
  'interfaces.reason.ResolverUnavailable':
    'Its values cannot be read from the current state. Plan and apply the Capsule again.',
} as const satisfies Record<`interfaces.reason.${InterfaceReason}`, string>;

const bindingReasons = {
  'binding.reason.InterfaceNotReady': 'Works as soon as the Interface is ready.',
  'binding.reason.UnsupportedDelivery':
    'This server cannot deliver a credential in this way. Revoke it, and allow it with another one.',
  'binding.reason.UnsupportedDeliveryConfiguration':
    'This server does not support the options of its credential. Revoke it, and allow it without them.',
  'binding.reason.OAuthResourceUnavailable':
    'It needs a token, and this server does not issue tokens yet or the address is not HTTPS.',
  'binding.reason.OAuthResourceAuthorityUnavailable':
    'It is not proven that the Capsule or Resource controls the host of the address. Ask an operator to record it.',
  'binding.reason.OAuthResourceUnauthorized': 'Tokens are issued to people only. Allow a person instead.',
  'binding.reason.OAuthResourceClaimPending': 'The address is being reserved for this Interface.',
  'binding.reason.OAuthResourceConflict':
    'Another Interface, maybe of another Workspace, has reserved the same address. Retire that one or change the address of this one, or ask an operator to record the proof that you control its host.',
  'binding.reason.DeliveryHandlerFailed': 'The credential could not be delivered. Revoke it, and allow it again.',
} as const satisfies Record<`binding.reason.${BindingReason}`, string>;

const failures = {
  'interfaces.failure.interface_name_conflict':
    'Another Interface of the Workspace has the name. Rename or retire one of them, then try again.',
  'interfaces.failure.installing_principal_unavailable':
    'The person who installed it is not a member any more. Add them again, then try again.',
  'interfaces.failure.subject_unavailable':
    'A person or Capsule that it allows does not exist any more. Change the configuration, then plan and apply the Capsule.',
  'interfaces.failure.interface_document_refused':
    'Its description is not valid, or looks like it contains a credential. Correct the module, then plan and apply the Capsule.',
  'interfaces.failure.ledger_unavailable':
    'The server could not write it. Check the log of the server, then try again.',
} as const satisfies Record<`interfaces.failure.${MaterializationError}`, string>;

/** Apps and other Interfaces of installed modules. */
export const interfaces = {
  ...reasons,
  ...bindingReasons,
  ...failures,
  'apps.title': 'Apps',
  'apps.lead': 'What installed modules offer: apps to open in the browser, and servers for other programs.',
  'apps.all': 'All apps',
  'apps.open': 'Open',
  'apps.open.of': 'Open {name}',
  'apps.noAddress': 'Has no web address',
  'apps.refused':
    '“{name}” was not opened, because its address or who may open it has changed. Reload to see what you may open now.',
  'apps.reload': 'Reload apps',
  'apps.notAllowed': 'You are not allowed to open this app. An owner or admin can allow you under “Who may use it”.',
  'apps.empty.title': 'No apps to open',
  'apps.empty.text': 'An app appears here when its Capsule is applied and you are allowed to open it.',
  'capsule.tab.interfaces': 'Interfaces',
  'interfaces.all': 'All Interfaces',
  'interfaces.name': 'Name',
  'interfaces.kind': 'Kind',
  'interfaces.kind.any': 'Any kind',
  'interfaces.kind.launcher': 'App',
  'interfaces.kind.mcp': 'MCP server',
  'interfaces.kind.fileHandler': 'File handler',
  'interfaces.owner': 'Offered by',
  'interfaces.of': 'Offered by {name}',
  'interfaces.status': 'Status',
  'interfaces.phase.Pending': 'Pending',
  'interfaces.phase.Resolved': 'Ready',
  'interfaces.phase.NotReady': 'Not ready',
  'interfaces.phase.Unknown': 'Unknown',
  'interfaces.phase.Terminating': 'Being destroyed',
  'interfaces.phase.Retired': 'Retired',
  'interfaces.notReady': 'This cannot be used now',
  'interfaces.retired.title': 'Retired',
  'interfaces.retired.text': 'No one can use it any more. Its history stays in the activity.',
  'interfaces.empty.title': 'No Interfaces',
  'interfaces.empty.text':
    'Modules with a manifest can offer apps, MCP servers and file handlers. They are created by the apply.',
  'interfaces.empty.kind': 'None of this kind is offered in the Workspace.',
  'interfaces.empty.capsule':
    'This Capsule offers none. A module declares them in its manifest, and the apply creates them.',
  'interfaces.failure.title': 'An Interface could not be created after the apply',
  'interfaces.connect': 'Connect',
  'interfaces.address': 'Address',
  'interfaces.clientEntry': 'Client configuration',
  'interfaces.resource': 'Resource of tokens',
  'interfaces.document': 'Description',
  'interfaces.users': 'Who may use it',
  'interfaces.users.none': 'No one may use it yet.',
  'interfaces.capsule': 'the Capsule {name}',
  'interfaces.formResource': 'the Resource {name}',
  'interfaces.may': '{who} may use this with: {permissions}',
  'interfaces.may.launcher': '{who} may open this',
  'interfaces.may.mcp': '{who} may use its tools',
  'interfaces.may.fileHandler': '{who} may open files with this',
  'binding.origin.capsule_blueprint': 'From the module',
  'binding.origin.capsule_required_interface': 'Needed by an installed module',
  'binding.delivery': 'Credential',
  'binding.delivery.none': 'None',
  'binding.delivery.none.help': 'This server delivers nothing. The program that is reached decides whom it lets in.',
  'binding.delivery.oauth2': 'OAuth token',
  'binding.delivery.oauth2.help': 'This server issues short-lived tokens for the address, to people only.',
  'binding.delivery.other': 'Credential: {type}',
  'interfaces.grant': 'Allow…',
  'interfaces.grant.title': 'Who may use “{name}”?',
  'interfaces.grant.who': 'Person, Capsule or Resource',
  'interfaces.grant.who.wrong': 'Choose a person, a Capsule or a Resource.',
  'interfaces.grant.choose': 'Choose…',
  'interfaces.grant.people': 'People',
  'interfaces.grant.formResources': 'Resources',
  'interfaces.grant.you': 'You',
  'interfaces.grant.launcher': 'They may open it. It appears among their apps.',
  'interfaces.grant.mcp': 'They may use its tools, with a token that this server issues.',
  'interfaces.grant.mcp.capsule': 'It may use its tools. Tokens are issued to people only.',
  'interfaces.grant.fileHandler': 'They may open files with it.',
  'interfaces.grant.more': 'Permissions and credential',
  'interfaces.grant.do': 'Allow',
  'interfaces.permissions': 'Permissions',
  'interfaces.permissions.help': 'As the Interface defines them, separated by spaces.',
  'interfaces.permissions.wrong': 'Write 1 to 16 different permissions, without quotes and backslashes.',
  'interfaces.revoke': 'Revoke',
  'interfaces.revoke.of': 'Revoke for {name}',
  'interfaces.revoke.title': 'Revoke for {name}?',
  'interfaces.revoke.text': 'It takes effect at once. You can allow it again.',
  'interfaces.revoke.fromModule':
    'It takes effect at once. A later apply of the unchanged module does not bring it back, and you can allow it again.',
  'interfaces.revoke.required':
    'It takes effect at once. An installed module needs it: the next plan of that Capsule fails until the account may use this Interface again.',
  'interfaces.retire': 'Retire…',
  'interfaces.retire.do': 'Retire',
  'interfaces.retire.title': 'Retire “{name}”?',
  'interfaces.retire.text':
    'No one can use it any more, and it cannot be restored. A later apply of the unchanged module does not bring it back.',
  'interfaces.values': 'Values and where they come from',
  'interfaces.values.none': 'No value now',
  'interfaces.values.literal': 'A fixed value',
  'interfaces.values.output': 'Output {output} of',
  'interfaces.values.resource': 'Output of',
  'interfaces.values.generation': 'Generation {generation} of the Resource',
  'interfaces.values.run': 'Run',
  'interfaces.values.digest': 'Digest of the Outputs',
} as const;
