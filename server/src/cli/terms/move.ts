import type { Terms } from './terms.ts';

const takes = ['data-dir', 'workspace', 'json'] as const;
const confirm = `  --confirm NAME       the name of the Capsule, for scripts; without it you are asked to type it`;
const help = `  --data-dir DIR       the data folder, whether or not a server runs on it
  --workspace NAME     handle or id, where several Workspaces have a Capsule of this name
  --json               one JSON document on standard output`;
const argNames = ['the id or name of a Capsule'];

/** Commands that move Capsules out of an installation. */
export const moveTerms = {
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
