import { server, serverHelp, type Terms } from './terms.ts';

/** Commands about backups of Workspaces and Capsules. */
export const backupsTerms = {
  'backup create': {
    does: 'backs up a Workspace or one Capsule on its server',
    takes: [...server, 'capsule'],
    argNames: [],
    help: `  --capsule CAPSULE    only this Capsule, by its id or name\n${serverHelp}`,
  },
  'backup list': {
    does: 'backups of a Workspace, newest first',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
  'backup download': {
    does: 'downloads the archive of a backup into a file; for owners',
    takes: server,
    argNames: ['the id of a backup', 'the name of the file to write'],
    help: serverHelp,
  },
  'backup delete': {
    does: 'deletes a backup with its archive; for owners',
    takes: server,
    argNames: ['the id of a backup'],
    help: serverHelp,
  },
  'backup restore': {
    does: 'returns states of a backup: shows what differs, and waits for an approval',
    takes: [...server, 'capsule', 'at', 'auto-approve'],
    argNames: ['the id of a backup'],
    help: `  --capsule CAPSULE    only this Capsule, by its id or name
  --at GENERATION      this generation of the Capsule; the newest in the backup unless given
  --auto-approve       approves without asking
${serverHelp}`,
  },
  'backup schedule show': {
    does: 'daily backups of a Workspace: settings, last copy and last failure',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
  'backup schedule set': {
    does: 'backs up a Workspace every day and copies each backup; for owners',
    takes: [...server, 'hour', 'keep', 'folder', 'connection'],
    argNames: [],
    help: `  --hour HOUR          hour of the day in UTC, 0 to 23
  --keep N             number of copies that stay at the target
  --folder DIR         copies to a folder on the disk of the server, below GROUNDCTL_BACKUP_FOLDERS
  --connection NAME    copies to the bucket of a Connection to object storage, by its id or name
A schedule that exists keeps what is not named.
${serverHelp}`,
  },
  'backup schedule off': {
    does: 'ends the daily backups of a Workspace, and leaves the copies; for owners',
    takes: server,
    argNames: [],
    help: serverHelp,
  },
} as const satisfies Readonly<Record<string, Terms>>;
