import { accessTerms } from './access.ts';
import { backupsTerms } from './backups.ts';
import { capsulesTerms } from './capsules.ts';
import { formsTerms } from './forms.ts';
import { lateStatesTerms } from './late-states.ts';
import { moveTerms } from './move.ts';
import { operatorTerms } from './operator.ts';
import { recordsTerms } from './records.ts';
import { recoveryTerms } from './recovery.ts';
import { runnersTerms } from './runners.ts';
import { serversTerms } from './servers.ts';
import type { Terms } from './terms.ts';

export { type OptionName, optionTypes } from './terms.ts';

const terms = {
  ...serversTerms,
  ...capsulesTerms,
  ...recordsTerms,
  ...accessTerms,
  ...moveTerms,
  ...backupsTerms,
  ...lateStatesTerms,
  ...operatorTerms,
  ...recoveryTerms,
  ...runnersTerms,
  ...formsTerms,
};

export type CommandName = keyof typeof terms;
export const commandNames: readonly string[] = Object.keys(terms);
export const termsOf = (name: string): Terms => terms[name as CommandName];

const forms: Readonly<Partial<Record<CommandName, string>>> = {
  install: 'install GIT-URL',
  'capsules re-adopt': 'capsules re-adopt CAPSULE …',
  hold: 'hold CAPSULE',
  release: 'release CAPSULE',
  'drift check': 'drift check CAPSULE',
  'drift ack': 'drift ack CAPSULE',
  open: 'open [RECORD]',
  'config get': 'config get CAPSULE',
  'config set': 'config set CAPSULE …',
  'sources sync': 'sources sync SOURCE',
  copy: 'copy GIT-URL',
  'runs show': 'runs show RUN',
  'runs approve': 'runs approve RUN',
  'runs apply': 'runs apply PLAN',
  'runs cancel': 'runs cancel RUN',
  'groups show': 'groups show GROUP',
  'groups apply': 'groups apply GROUP [RUN]',
  'interfaces show': 'interfaces show NAME',
  'interfaces grant': 'interfaces grant NAME WHO',
  'interfaces revoke': 'interfaces revoke NAME ID',
  'plans diff': 'plans diff PLAN OTHER',
  resources: 'resources CAPSULE',
  'states diff': 'states diff CAPSULE A B',
  import: 'import DIR …',
  export: 'export CAPSULE DIR',
  'state show': 'state show CAPSULE',
  'state pull': 'state pull CAPSULE',
  'state outputs': 'state outputs CAPSULE',
  logs: 'logs [-f] RUN',
  'notify test': 'notify test WEBHOOK',
  'workspaces delete': 'workspaces delete HANDLE',
  'token create': 'token create NAME',
  'token revoke': 'token revoke TOKEN',
  login: 'login URL',
  logout: 'logout [URL]',
  'accounts reset': 'accounts reset EMAIL',
  'mail test': 'mail test EMAIL',
  backup: 'backup --all FILE',
  'backup verify': 'backup verify FILE',
  'backup download': 'backup download ID FILE',
  'backup delete': 'backup delete ID',
  'backup restore': 'backup restore ID',
  'late-states list': 'late-states list CAPSULE',
  'late-states adopt': 'late-states adopt CAPSULE ID',
  'late-states dismiss': 'late-states dismiss ID',
  restore: 'restore FILE',
  'capsules disable': 'capsules disable CAPSULE',
  'capsules enable': 'capsules enable CAPSULE',
  'configs patch': 'configs patch CONFIG FILE',
  'runner-pools create': 'runner-pools create NAME',
  'runner-pools rename': 'runner-pools rename POOL NAME',
  'runner-pools remove': 'runner-pools remove POOL',
  'runners drain': 'runners drain MACHINE',
  'runners resume': 'runners resume MACHINE',
  'runners revoke': 'runners revoke MACHINE',
  'runners cancel': 'runners cancel ENROLMENT',
  'forms lint': 'forms lint FILE…',
  'forms install': 'forms install FILE',
  'vault restore-key': 'vault restore-key KIT',
  'recovery-kit create': 'recovery-kit create FILE',
  'recovery-kit check': 'recovery-kit check FILE',
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
