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
  interrupt: { type: 'boolean' },
  'replace-newer': { type: 'boolean' },
  type: { type: 'string' },
  status: { type: 'string' },
  capsule: { type: 'string' },
  at: { type: 'string' },
  hour: { type: 'string' },
  keep: { type: 'string' },
  folder: { type: 'string' },
  out: { type: 'string' },
  search: { type: 'string' },
  waiting: { type: 'boolean' },
  all: { type: 'boolean' },
  'with-state': { type: 'boolean' },
  reveal: { type: 'string' },
  state: { type: 'string' },
  reason: { type: 'string' },
  snapshot: { type: 'string' },
  leave: { type: 'string', multiple: true },
  'end-shares': { type: 'boolean' },
  confirm: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  scope: { type: 'string', multiple: true },
  permission: { type: 'string', multiple: true },
  delivery: { type: 'string' },
  days: { type: 'string' },
  list: { type: 'boolean' },
  recipient: { type: 'string', multiple: true },
  'passphrase-file': { type: 'string' },
  'identity-file': { type: 'string' },
  litestream: { type: 'string' },
  program: { type: 'string' },
  term: { type: 'string' },
  'unused-term': { type: 'string' },
  'with-providers': { type: 'boolean' },
  write: { type: 'boolean' },
  'insecure-storage': { type: 'boolean' },
  endpoint: { type: 'string' },
  form: { type: 'string' },
  space: { type: 'string' },
  import: { type: 'string' },
  ca: { type: 'string' },
  report: { type: 'string' },
  pool: { type: 'string', multiple: true },
  default: { type: 'boolean' },
  enrol: { type: 'string' },
  certificate: { type: 'string' },
  key: { type: 'string' },
  concurrency: { type: 'string' },
  connect: { type: 'string' },
  'cluster-port': { type: 'string' },
  routes: { type: 'string' },
  authority: { type: 'string' },
  check: { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  help: { type: 'boolean', short: 'h' },
} as const;
export type OptionName = Exclude<keyof typeof optionTypes, 'help'>;

export type Terms = {
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

export const folder = ['data-dir'] as const;
export const server = ['data-dir', 'url', 'workspace', 'json'] as const;
export const serverHelp = `
  --data-dir DIR       the server that runs on this folder; you are its owner
  --url URL            a server by its address, by your login or the token in GROUNDCTL_TOKEN
  --workspace NAME     handle or id, where you have more than one
  --json               one JSON document on standard output`;

export const tokenHelp = `  --data-dir DIR       the server that runs on this folder; you are its owner
  --url URL            a server by its address; GROUNDCTL_TOKEN holds a session token
  --json               one JSON document on standard output`;
