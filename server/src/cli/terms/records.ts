import { server, serverHelp, type Terms } from './terms.ts';

const approvalHelp = `  --auto-approve       without asking, unless something would be destroyed
  --allow-destroy      with --auto-approve: also when something would be destroyed`;

/** Commands that read and change the other records of a Workspace. */
export const recordsTerms = {
  connections: {
    does: 'Connections that a Workspace may bind to providers, and where their credentials come from',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
  sources: {
    does: 'Sources of a Workspace',
    takes: [...server, 'search'],
    argNames: [],
    help: `  --search TEXT        those that have it in name or address\n${serverHelp}`,
  },
  'sources sync': {
    does: 'fetches the newest commit of a Source',
    takes: server,
    argNames: ['the id or name of a Source'],
    help: serverHelp,
  },
  copy: {
    does: 'makes an installable copy: a repository with every module that it calls elsewhere, after a review',
    takes: [...server, 'ref', 'path', 'module', 'name', 'git-connection', 'auto-approve', 'out'],
    argNames: ['the address of a Git repository'],
    help: `  --ref REF            branch, tag or full commit id; the default branch unless given
  --path FOLDER        folder of the repository to look in
  --module FOLDER      only this module of it, and all that it calls; all modules unless given
  --name NAME          what the copy is called
  --git-connection CONNECTION
                       token for a private repository
  --auto-approve       makes the copy without asking
  --out DIR            also writes it as a bare Git repository into an empty folder
${serverHelp}`,
  },
  runs: {
    does: 'Runs of a Workspace, newest first',
    takes: [...server, 'type', 'status', 'capsule', 'search', 'waiting', 'limit'],
    argNames: [],
    help: `  --type TYPE          plan, apply, source_sync, …
  --status STATUS      succeeded, failed, …; several with commas
  --capsule ID         those of one Capsule
  --waiting            those that wait for an approval
  --search TEXT        those that have it in name or id
  --limit N            how many; 20 unless given
${serverHelp}`,
  },
  'runs show': {
    does: 'one Run: where it stands, its plan, what to do',
    takes: server,
    argNames: ['the id of a Run'],
    help: serverHelp,
  },
  'runs approve': {
    does: 'approves a plan, a restore or an import after a review',
    takes: [...server, 'auto-approve', 'allow-destroy'],
    argNames: ['the id of a Run'],
    help: `${approvalHelp}\n${serverHelp}`,
  },
  'runs apply': {
    does: 'applies a plan after a review, approving it if it waits for that',
    takes: [...server, 'auto-approve', 'allow-destroy'],
    argNames: ['the id of a plan'],
    help: `${approvalHelp}\n${serverHelp}`,
  },
  'runs cancel': {
    does: 'cancels a Run that waits, or ends one that runs',
    takes: [...server, 'interrupt'],
    argNames: ['the id of a Run'],
    help: `  --interrupt          also ends a running apply; the state it has reached is kept
${serverHelp}`,
  },
  groups: {
    does: 'RunGroups of a Workspace: updates and drift checks of many Capsules, newest first',
    takes: [...server, 'type', 'status', 'limit'],
    argNames: [],
    help: `  --type TYPE          workspace_update or workspace_drift_check
  --status STATUS      running, waiting_approval, failed, …
  --limit N            how many; 20 unless given
${serverHelp}`,
  },
  'groups show': {
    does: 'members of a RunGroup, producers first',
    takes: server,
    argNames: ['the id of a RunGroup'],
    help: serverHelp,
  },
  'groups apply': {
    does: 'applies the ready plans of a RunGroup, producers first',
    takes: [...server, 'auto-approve'],
    argNames: ['the id of a RunGroup'],
    takesMore: true,
    help: `  RUN                  only these plans; all that are ready unless given
  --auto-approve       applies without asking; plans that wait for an approval are left out
${serverHelp}`,
  },
  'interfaces list': {
    does: 'Interfaces of a Workspace: apps, MCP servers, file handlers and others',
    takes: [...server, 'capsule', 'type', 'all'],
    argNames: [],
    help: `  --capsule CAPSULE    those of one Capsule, by its id or name
  --type TYPE          interface.ui.surface, mcp.server, interface.file.handler, …
  --all                retired ones too
${serverHelp}`,
  },
  'interfaces show': {
    does: 'an Interface: its values, where they come from, and who may use it',
    takes: server,
    argNames: ['the id or name of an Interface'],
    help: serverHelp,
  },
  'interfaces grant': {
    does: 'allows a member, a Capsule or a Resource to use an Interface',
    takes: [...server, 'permission', 'delivery'],
    argNames: [
      'the id or name of an Interface',
      'the e-mail address or id of a member, or the id of a Capsule or Resource',
    ],
    help: `  --permission NAME    what is allowed; the one of the type unless given
  --delivery TYPE      none or oauth2; oauth2 for MCP servers and none for others unless given
${serverHelp}`,
  },
  'interfaces revoke': {
    does: 'revokes a binding of an Interface at once',
    takes: server,
    argNames: ['the id or name of an Interface', 'the id of a binding, as interfaces show lists it'],
    help: serverHelp,
  },
  'plans diff': {
    does: 'what two plans of a Capsule do differently',
    takes: server,
    argNames: ['the id of a plan', 'the id of another plan'],
    help: serverHelp,
  },
  resources: {
    does: 'resources of a Capsule, without sensitive values',
    takes: [...server, 'at', 'search'],
    argNames: ['the id or name of a Capsule'],
    help: `  --at GENERATION      those of an earlier state; the current one unless given
  --search TEXT        those that have it in address, type or a shown value
${serverHelp}`,
  },
  'states diff': {
    does: 'what differs between two generations of a Capsule',
    takes: server,
    argNames: ['the id or name of a Capsule', 'a generation', 'another generation'],
    help: serverHelp,
  },
  logs: {
    does: 'the log of a Run; -f follows it to its end',
    takes: [...server, 'follow'],
    argNames: ['the id of a Run'],
    help: `  -f, --follow         continues until the Run ends; the exit code shows its result
${serverHelp}
                       (for logs: one JSON document per line)`,
  },
  notify: {
    does: 'webhooks of a Workspace',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
  'notify test': {
    does: 'sends a test to a webhook and reports the answer',
    takes: server,
    argNames: ['the id or name of a webhook'],
    help: serverHelp,
  },
} as const satisfies Readonly<Record<string, Terms>>;
