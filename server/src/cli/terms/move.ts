import { server, serverHelp, type Terms } from './terms.ts';

const takes = ['data-dir', 'workspace', 'json'] as const;
const confirm = `  --confirm NAME       the name of the Capsule, for scripts; without it you are asked to type it`;
const help = `  --data-dir DIR       the data folder, whether or not a server runs on it
  --workspace NAME     handle or id, where several Workspaces have a Capsule of this name
  --json               one JSON document on standard output`;
const argNames = ['the id or name of a Capsule'];

/** Commands that move modules into an installation, and Capsules out of it. */
export const moveTerms = {
  import: {
    does: 'moves modules in that were applied elsewhere: each folder becomes a Capsule with its state',
    takes: [...server, 'name', 'environment', 'state', 'var-file', 'secret-var', 'connection', 'git-connection'],
    argNames: ['a folder in a Git repository'],
    takesMore: true,
    help: `  DIR                  more folders; one that fails does not stop the others
  --state FILE         the state; - for standard input; terraform.tfstate of the folder unless given
  --name NAME          what the Capsule is called
  --environment NAME   default unless given
  --var-file FILE      variables from a JSON or .tfvars file
  --secret-var NAME    a secret variable: from GROUNDCTL_VAR_NAME, else asked for or read from standard input
  --connection LOCAL[.ALIAS]=CONNECTION
                       credentials of a provider, by id or name of a Connection
  --git-connection CONNECTION
                       token for a private repository
${serverHelp}`,
  },
  export: {
    does: 'writes a folder that OpenTofu continues with: module, variables and lock file of a Capsule',
    takes: [...takes, 'with-state', 'confirm'],
    argNames: [...argNames, 'a folder that is empty or does not exist'],
    help: `  --with-state         also the state and the files that applies wrote: secrets in clear
${confirm}
${help}`,
  },
  'state show': {
    does: 'the current state of a Capsule, without sensitive values',
    takes,
    argNames,
    help,
  },
  'state pull': {
    does: 'prints the current state of a Capsule: secrets in clear',
    takes: [...takes, 'confirm'],
    argNames,
    help: `${confirm}\n${help}`,
  },
  'state outputs': {
    does: 'the Outputs of the current state of a Capsule, without sensitive values',
    takes: [...takes, 'reveal', 'confirm'],
    argNames,
    help: `  --reveal NAME        prints the value of one Output, also when it is sensitive
${confirm}
${help}`,
  },
} as const satisfies Readonly<Record<string, Terms>>;
