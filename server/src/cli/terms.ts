/** All options. An option means the same in each command that accepts it. */
export const optionTypes = {
  'data-dir': { type: 'string' },
  url: { type: 'string' },
  workspace: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  to: { type: 'string' },
  exit: { type: 'boolean' },
  json: { type: 'boolean' },
  ref: { type: 'string' },
  path: { type: 'string' },
  module: { type: 'string' },
  name: { type: 'string' },
  environment: { type: 'string' },
  var: { type: 'string', multiple: true },
  'var-file': { type: 'string', multiple: true },
  'secret-var': { type: 'string', multiple: true },
  input: { type: 'string', multiple: true },
  unset: { type: 'string', multiple: true },
  connection: { type: 'string', multiple: true },
  'git-connection': { type: 'string' },
  'auto-approve': { type: 'boolean' },
  'allow-destroy': { type: 'boolean' },
  type: { type: 'string' },
  status: { type: 'string' },
  capsule: { type: 'string' },
  at: { type: 'string' },
  search: { type: 'string' },
  waiting: { type: 'boolean' },
  all: { type: 'boolean' },
  reason: { type: 'string' },
  snapshot: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  scope: { type: 'string', multiple: true },
  permission: { type: 'string', multiple: true },
  delivery: { type: 'string' },
  days: { type: 'string' },
  list: { type: 'boolean' },
  'insecure-storage': { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  help: { type: 'boolean', short: 'h' },
} as const;
export type OptionName = Exclude<keyof typeof optionTypes, 'help'>;

type Terms = {
  /** One-line description for the list of commands. */
  does: string;
  takes: readonly OptionName[];
  /** Names of the required arguments, as error messages use them. */
  argNames: readonly string[];
  /** True when more arguments may follow the required ones. */
  takesMore?: true;
  /** Text that `--help` adds to the description. */
  help: string;
};

const folder = ['data-dir'] as const;
const server = ['data-dir', 'url', 'workspace', 'json'] as const;
const serverHelp = `
  --data-dir DIR       the server that runs on this folder; you are its owner
  --url URL            a server by its address, by your login or the token in GROUNDCTL_TOKEN
  --workspace NAME     handle or id, where you have more than one
  --json               one JSON document on standard output`;

const tokenHelp = `  --data-dir DIR       the server that runs on this folder; you are its owner
  --url URL            a server by its address; GROUNDCTL_TOKEN holds a session token
  --json               one JSON document on standard output`;

const terms = {
  start: {
    does: "serves this account's own data, and opens the browser signed in",
    takes: ['data-dir', 'port', 'host'],
    argNames: [],
    help: '  --data-dir DIR       another folder than that of this account',
  },
  serve: {
    does: 'the headless server',
    takes: ['data-dir', 'port', 'host'],
    argNames: [],
    help: `  --data-dir DIR       the data folder, made when it is missing
  --port N             0 takes the last port, or any
  --host ADDRESS       the address to listen on; 127.0.0.1 by default. Another one needs
                       GROUNDCTL_PUBLIC_URL, and a certificate or a trusted proxy`,
  },
  demo: {
    does: 'installs a sample module from start to end',
    takes: ['data-dir', 'port', 'host', 'exit'],
    argNames: [],
    help: '  --exit               ends after the installation',
  },
  install: {
    does: 'installs a module from Git: looks, plans, asks, applies, shows Outputs',
    takes: [
      ...server,
      'ref',
      'path',
      'module',
      'name',
      'environment',
      'var',
      'var-file',
      'secret-var',
      'input',
      'connection',
      'git-connection',
      'auto-approve',
      'allow-destroy',
    ],
    argNames: ['the address of a Git repository'],
    help: `  --ref REF            branch, tag or full commit id; the default branch unless given
  --path FOLDER        folder of the repository to look in
  --module FOLDER      which module of it; also one of examples, such as examples/complete
  --name NAME          what the Capsule is called
  --environment NAME   default unless given
  --var NAME=VALUE     a variable; texts as they are, other types as JSON or HCL
  --var-file FILE      variables from a JSON file; --var wins
  --secret-var NAME    a secret variable: from GROUNDCTL_VAR_NAME, else asked for or read from standard input
  --input NAME=CAPSULE.OUTPUT
                       a variable from an Output of another Capsule, by its name or id
  --connection LOCAL[.ALIAS]=CONNECTION
                       credentials of a provider, by id or name of a Connection
  --git-connection CONNECTION
                       token for a private repository
  --auto-approve       applies without asking, unless something would be destroyed
  --allow-destroy      with --auto-approve: also when something would be destroyed
${serverHelp}`,
  },
  capsules: {
    does: 'Capsules of a Workspace, the last changed first',
    takes: [...server, 'search', 'all'],
    argNames: [],
    help: `  --search TEXT        those that have it in name, environment or id
  --all                destroyed and discarded ones too
${serverHelp}`,
  },
  'capsules re-adopt': {
    does: 'moves the configuration of a Capsule to another snapshot of its Source; nothing is planned',
    takes: [...server, 'reason', 'snapshot', 'var-file', 'unset'],
    argNames: ['the id or name of a Capsule'],
    takesMore: true,
    help: `  --reason TEXT        why; required
  --snapshot ID        the snapshot; without it the newest one of the ref that the Capsule follows
  NAME=VALUE           an input to change; without one, and without --unset, all inputs stay as they are
  --var-file FILE      inputs from a JSON file; NAME=VALUE wins
  --unset NAME         returns to the default
${serverHelp}`,
  },
  hold: {
    does: 'holds a Capsule: it is planned, and every apply is refused',
    takes: [...server, 'reason', 'until'],
    argNames: ['the id or name of a Capsule'],
    help: `  --reason TEXT        why; everyone in the Workspace reads it
  --until TIME         when the hold ends, such as 2026-12-01 or 2026-12-01T08:00:00+01:00;
                       without it, when someone releases the Capsule
${serverHelp}`,
  },
  release: {
    does: 'releases a held Capsule',
    takes: server,
    argNames: ['the id or name of a Capsule'],
    help: serverHelp,
  },
  drift: {
    does: 'Capsules whose newest drift check found a difference or failed',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
  'drift check': {
    does: 'compares the resources of a Capsule with its state, and changes nothing',
    takes: server,
    argNames: ['the id or name of a Capsule'],
    help: serverHelp,
  },
  'drift ack': {
    does: 'acknowledges the drift of a Capsule until it differs',
    takes: [...server, 'reason'],
    argNames: ['the id or name of a Capsule'],
    help: `  --reason TEXT        why; everyone in the Workspace reads it
${serverHelp}`,
  },
  open: {
    does: 'opens the page of a Capsule, Run, Source or Connection',
    takes: server,
    argNames: ['the name of a Capsule, or the id of a record'],
    help: serverHelp,
  },
  'config get': {
    does: 'inputs of a Capsule, each with its value and origin',
    takes: server,
    argNames: ['the id or name of a Capsule'],
    help: serverHelp,
  },
  'config set': {
    does: 'changes inputs of a Capsule: plans, and shows the plan to review',
    takes: [...server, 'var-file', 'secret-var', 'unset'],
    argNames: ['the id or name of a Capsule'],
    takesMore: true,
    help: `  NAME=VALUE           a variable; texts as they are, other types as JSON or HCL
  --var-file FILE      variables from a JSON file; NAME=VALUE wins
  --secret-var NAME    a secret variable: from GROUNDCTL_VAR_NAME, else asked for or read from standard input
  --unset NAME         returns to the default
${serverHelp}`,
  },
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
    does: 'allows a member or a Capsule to use an Interface',
    takes: [...server, 'permission', 'delivery'],
    argNames: ['the id or name of an Interface', 'the e-mail address or id of a member, or the id of a Capsule'],
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
  'token create': {
    does: 'makes an access token for a program; it is printed once',
    takes: [...server, 'scope', 'days'],
    argNames: ['a name for the token'],
    help: `  --scope SCOPE        read (default) or write; repeat for both
                       admin requires --data-dir: only the operator can issue it
  --days N             ends after so many days; never unless given
${serverHelp.replace('where you have more than one', 'binds the token to it')}`,
  },
  'token list': {
    does: 'your access tokens, newest first',
    takes: ['data-dir', 'url', 'json'],
    argNames: [],
    help: tokenHelp,
  },
  'token revoke': {
    does: 'ends an access token at once',
    takes: ['data-dir', 'url', 'json'],
    argNames: ['the id of a token'],
    help: tokenHelp,
  },
  login: {
    does: 'signs you in at a server with the browser, for the commands that follow',
    takes: ['workspace', 'list', 'insecure-storage', 'json'],
    argNames: [],
    takesMore: true,
    help: `  --workspace NAME     handle or id; chosen in the browser unless given
  --list               your logins, and nothing else
  --insecure-storage   keeps the login in a file of your account instead of the keychain
  --json               one JSON document on standard output`,
  },
  logout: {
    does: 'ends a login, at its server and here',
    takes: ['json'],
    argNames: [],
    takesMore: true,
    help: '  --json               one JSON document on standard output',
  },
  'sign-in': { does: 'prints a one-time sign-in link of a running server', takes: folder, argNames: [], help: '' },
  'accounts reset': {
    does: 'prints a one-time link for a person with a forgotten password',
    takes: ['data-dir', 'json'],
    argNames: ['the e-mail of an account'],
    help: '',
  },
  'mail test': {
    does: 'sends a test mail, and says why it could not be sent',
    takes: ['data-dir', 'json'],
    argNames: ['the recipient'],
    help: `  --data-dir DIR       the data folder of the server that runs
  --json               one JSON document`,
  },
  'vault status': {
    does: 'says where the key of the data is kept, and whether it is open',
    takes: folder,
    argNames: [],
    help: '',
  },
  'vault unseal': {
    does: 'opens a sealed vault; asks for the passphrase where it has one',
    takes: folder,
    argNames: [],
    help: '',
  },
  'vault rotate': {
    does: 'creates new keys and re-encrypts everything with them',
    takes: folder,
    argNames: [],
    help: '',
  },
  'vault change-key': {
    does: 'keeps a new key in the keychain, a file or behind a passphrase',
    takes: ['data-dir', 'to'],
    argNames: [],
    help: '  --to PLACE           keychain, file or passphrase',
  },
  'tofu install': { does: 'brings the pinned OpenTofu into the data folder', takes: folder, argNames: [], help: '' },
  doctor: {
    does: 'looks the data folder over and says what to do; changes nothing',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  'capsules disable': {
    does: 'disables a Capsule: plans are refused until it is enabled',
    takes: ['data-dir', 'json'],
    argNames: ['the id of a Capsule'],
    help: '',
  },
  'capsules enable': {
    does: 'enables a disabled Capsule and returns its former status',
    takes: ['data-dir', 'json'],
    argNames: ['the id of a Capsule'],
    help: '',
  },
  'configs patch': {
    does: 'replaces members of an InstallConfig by those of a JSON file',
    takes: ['data-dir', 'json'],
    argNames: ['the id of an InstallConfig', 'a JSON file with the patch'],
    help: '',
  },
  'oidc rotate': {
    does: 'replaces the key that signs people in to apps',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  'audit list': {
    does: 'lists the audit trail of all Workspaces, newest first',
    takes: ['data-dir', 'workspace', 'limit', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder of the server that runs
  --workspace NAME     handle or id; all unless given
  --limit N            how many; 50 unless given
  --json               one JSON document on standard output`,
  },
  'audit verify': {
    does: 'proves that the audit trail is as it was written',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
} as const satisfies Readonly<Record<string, Terms>>;

export type CommandName = keyof typeof terms;
export const commandNames: readonly string[] = Object.keys(terms);
export const termsOf = (name: string): Terms => terms[name as CommandName];

const forms: Readonly<Partial<Record<CommandName, string>>> = {
  install: 'install GIT-URL',
  hold: 'hold CAPSULE',
  release: 'release CAPSULE',
  'drift check': 'drift check CAPSULE',
  'drift ack': 'drift ack CAPSULE',
  open: 'open RECORD',
  'config get': 'config get CAPSULE',
  'config set': 'config set CAPSULE …',
  'sources sync': 'sources sync SOURCE',
  'runs show': 'runs show RUN',
  'groups show': 'groups show GROUP',
  'groups apply': 'groups apply GROUP [RUN]',
  'interfaces show': 'interfaces show NAME',
  'interfaces grant': 'interfaces grant NAME WHO',
  'interfaces revoke': 'interfaces revoke NAME ID',
  'plans diff': 'plans diff PLAN OTHER',
  resources: 'resources CAPSULE',
  'states diff': 'states diff CAPSULE A B',
  logs: 'logs [-f] RUN',
  'notify test': 'notify test WEBHOOK',
  'token create': 'token create NAME',
  'token revoke': 'token revoke TOKEN',
  login: 'login URL',
  logout: 'logout [URL]',
  'accounts reset': 'accounts reset EMAIL',
  'mail test': 'mail test EMAIL',
  'capsules disable': 'capsules disable CAPSULE',
  'capsules enable': 'capsules enable CAPSULE',
  'configs patch': 'configs patch CONFIG FILE',
};
const formOf = (name: string): string => forms[name as CommandName] ?? name;

/** The list of commands. */
export const usage = `Usage: groundctl COMMAND

${commandNames.map((name) => `  ${formOf(name).padEnd(22)} ${termsOf(name).does}`).join('\n')}

groundctl help COMMAND says more of each. The server is found by --data-dir DIR or GROUNDCTL_DATA_DIR, or by --url URL
or GROUNDCTL_URL with a token in GROUNDCTL_TOKEN.
Exit codes: 0 done, 1 failed, 2 wrong use, 3 waits for a person.
`;

const dataDirHelp = '  --data-dir DIR       the data folder';

/** Returns the help text of one command. */
export function helpOf(name: string): string {
  const { does, help, takes } = termsOf(name);
  const json = takes.includes('json') ? '\n  --json               one JSON document' : '';
  const body = help === '' ? `${dataDirHelp}${json}` : help.replace(/^\n/, '');
  return `Usage: groundctl ${formOf(name)} [OPTION]...\n\n${does}\n\n${body}\n`;
}
