import { server, serverHelp, type Terms } from './terms.ts';

/** Commands about Capsules and their configuration. */
export const capsulesTerms = {
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
    does: 'opens the dashboard, or the page of a Capsule, Run, Source or Connection',
    takes: server,
    argNames: [],
    takesMore: true,
    help: `A running desktop of this data folder comes to the front and shows the page of a Capsule or a Run. Other pages, and
those of a server without a desktop, open in the browser.
${serverHelp}`,
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
} as const satisfies Readonly<Record<string, Terms>>;
