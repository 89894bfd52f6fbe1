import { folder, type Terms } from './terms.ts';

/** Commands of the operator. */
export const operatorTerms = {
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
    help: '  --to LOCATION        keychain, file or passphrase',
  },
  'tofu install': { does: 'brings the pinned OpenTofu into the data folder', takes: folder, argNames: [], help: '' },
  'restore mark': {
    does: 'marks a data folder whose ledger was restored by another program, before its first start',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  doctor: {
    does: 'looks the data folder over and says what to do; changes nothing',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  backup: {
    does: 'writes the whole installation into one encrypted file, beside a server too',
    takes: ['data-dir', 'all', 'recipient', 'passphrase-file', 'with-providers', 'json'],
    argNames: ['the name of the file to write'],
    help: `  --all                the whole installation
  --data-dir DIR       the data folder
  --recipient KEY      encrypts for an age recipient (age1…); repeat it for more
  --passphrase-file F  encrypts for the passphrase in a private file; without both you are asked for one
  --with-providers     also the packages of the provider store
  --json               one JSON document`,
  },
  'backup verify': {
    does: 'restores a backup into a temporary folder and checks everything in it',
    takes: ['identity-file', 'passphrase-file', 'json'],
    argNames: ['a backup file'],
    help: `  --identity-file F    opens it with the age identities in a private file
  --passphrase-file F  opens it with the passphrase in a private file; without both you are asked for it
  --json               one JSON document`,
  },
  restore: {
    does: 'restores a backup of an installation into an empty data folder',
    takes: ['data-dir', 'identity-file', 'passphrase-file', 'to', 'json'],
    argNames: ['a backup file'],
    help: `  --data-dir DIR       the new data folder, missing or empty
  --identity-file F    opens the backup with the age identities in a private file
  --passphrase-file F  opens it with the passphrase in a private file; without both you are asked for it
  --to LOCATION        keeps the key in a file (default) or the keychain
  --json               one JSON document`,
  },
  promote: {
    does: 'makes this machine the server: revokes the earlier one and restores its ledger from the continuous copy',
    takes: ['data-dir', 'litestream', 'program', 'term', 'unused-term'],
    argNames: [],
    help: `  --data-dir DIR       the new data folder, missing or empty; FILE names DIR/ledger.db
  --litestream FILE    configuration of Litestream for this machine
  --program PATH       Litestream itself; searched for on the PATH unless given
  --term N             newest term that the copy has; 1 unless given
  --unused-term N      a later term that has no copy

Bring the key first, and run the command as the user of the server with its settings, which are those of the earlier one.
An interrupted promotion is repeated with the same command.`,
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
  'fence show': {
    does: 'which server may write, as the fence in the bucket or the term in NATS says',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
  },
  'fence take': {
    does: 'names this server in the fence: the server before it turns read-only',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder
  --json               one JSON document

A server that another one has replaced is refused, because its ledger is out of date. With a fence in a bucket, stop
it, run "groundctl restore mark" on its data folder, start it and take the fence then. With a term in NATS, promote a
server from the newest copy instead.`,
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
