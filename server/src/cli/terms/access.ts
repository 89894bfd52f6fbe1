import { folder, server, serverHelp, type Terms, tokenHelp } from './terms.ts';

/** Commands about sign-ins, tokens and accounts. */
export const accessTerms = {
  'workspaces delete': {
    does: 'deletes a Workspace and destroys its keys, after it has shown what is left in place',
    takes: ['data-dir', 'url', 'leave', 'end-shares', 'confirm', 'json'],
    argNames: ['the handle or id of a Workspace'],
    help: `  --leave CAPSULE      leaves the resources of a Capsule in place, by its name or id; repeat for each one
  --end-shares         ends shares that another Workspace uses
  --confirm HANDLE     deletes without asking
  --data-dir DIR       the server that runs on this folder; you are its owner
  --url URL            a server by its address, by your login or the token in GROUNDCTL_TOKEN
  --json               one JSON document on standard output`,
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
} as const satisfies Readonly<Record<string, Terms>>;
