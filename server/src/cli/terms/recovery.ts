import { folder, type Terms } from './terms.ts';

const kitKeys = `  --data-dir DIR       the data folder, or a copy of it
  --passphrase-file F  the passphrase of the kit in a private file; without it you are asked
  --identity-file F    age identities in a private file, for a kit that was made for a recipient`;

/** Commands around the recovery of an installation: its kit, and the pause after a restore. */
export const recoveryTerms = {
  'recovery-kit create': {
    does: 'writes the master key into a file, encrypted for you',
    takes: ['data-dir', 'recipient', 'passphrase-file'],
    argNames: ['the name of a new file'],
    help: `  --data-dir DIR       the data folder of the server that runs
  --recipient KEY      encrypts for an age recipient (age1…)
  --passphrase-file F  encrypts for the passphrase in a private file; without either you are asked for one`,
  },
  'recovery-kit check': {
    does: 'proves that a recovery kit opens and fits a data folder; changes nothing',
    takes: ['data-dir', 'passphrase-file', 'identity-file'],
    argNames: ['the file of a recovery kit'],
    help: kitKeys,
  },
  'vault restore-key': {
    does: 'puts the master key back from a recovery kit, with the server stopped',
    takes: ['data-dir', 'passphrase-file', 'identity-file'],
    argNames: ['the file of a recovery kit'],
    help: kitKeys,
  },
  'installation status': {
    does: 'says whether a restored installation is paused, and what to review',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  'installation resume': {
    does: 'ends the pause of a restored installation: scheduled work starts again',
    takes: [...folder, 'json'],
    argNames: [],
    help: '',
  },
} as const satisfies Readonly<Record<string, Terms>>;
