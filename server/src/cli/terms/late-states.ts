import { server, serverHelp, type Terms } from './terms.ts';

/** Commands about states that arrive after their applies were ended. */
export const lateStatesTerms = {
  'late-states list': {
    does: 'states that arrived after an apply was ended, newest first',
    takes: server,
    argNames: ['the id or name of a Capsule'],
    help: serverHelp,
  },
  'late-states adopt': {
    does: 'makes a late state the current one: shows what differs, and waits for an approval',
    takes: [...server, 'replace-newer', 'auto-approve'],
    argNames: ['the id or name of a Capsule', 'the id of a late state'],
    help: `  --replace-newer      replaces the state that the Capsule got since the apply was ended
  --auto-approve       approves without asking
${serverHelp}`,
  },
  'late-states dismiss': {
    does: 'deletes a late state',
    takes: server,
    argNames: ['the id of a late state'],
    help: serverHelp,
  },
} as const satisfies Readonly<Record<string, Terms>>;
