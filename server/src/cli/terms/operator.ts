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
    help: '  --to PLACE           keychain, file or passphrase',
  },
  'tofu install': { does: 'brings the pinned OpenTofu into the data folder', takes: folder, argNames: [], help: '' },
  doctor: {
    does: 'looks the data folder over and says what to do; changes nothing',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: '',
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
