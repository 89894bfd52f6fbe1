/** The vault: where its key is kept, and the page of a sealed one. */
export const vault = {
  'vault.forbidden.title': 'Only for the owner of this installation',
  'vault.forbidden.text':
    'The key belongs to the installation, so only its owner can see or change it. If that is you, switch to a Workspace that you own.',
  'vault.missed.title': 'The key is in a file, because no keychain was available',
  'vault.missed.text': 'When the keychain works, you can move the key there below.',
  'vault.where': 'Where the key is',
  'vault.what':
    'Tokens, states, plans and sensitive values are sealed in the data folder. This key opens them all, so it has to be stored apart from them.',
  'vault.place': 'Location',
  'vault.place.keychain': 'Entry',
  'vault.place.file': 'Path',
  'vault.made': 'Created',
  'vault.keyId': 'Key',
  'vault.now': 'now',
  'vault.keychain': 'Keychain of this machine',
  'vault.keychain.text':
    'The operating system stores it with your other passwords. It opens when you are signed in to this machine.',
  'vault.keychain.backup':
    'A copy or backup of the data folder alone opens nothing, not even on another machine. Back up the keychain too, or move the key to a passphrase before you move the folder.',
  'vault.file': 'Key file',
  'vault.file.text': 'A file that only your user may read. The server opens the vault automatically when it starts.',
  'vault.file.backup':
    'Anyone with both the data folder and this file can read everything. Back up the file in another place than the folder: without it, sealed data is lost forever.',
  'vault.passphrase': 'Passphrase',
  'vault.passphrase.text':
    'The key is derived from a passphrase. It is required at every start, unless the server is configured with a file that holds it.',
  'vault.passphrase.backup':
    'A backup of the data folder and the passphrase together are enough to open it anywhere. A forgotten passphrase cannot be replaced: sealed data is lost forever.',
  'vault.passphrase.new': 'New passphrase',
  'vault.passphrase.again': 'Confirm passphrase',
  'vault.passphrase.help': 'At least {least, number} characters. Use several unrelated words.',
  'vault.passphrase.short': 'Write at least {least, number} characters.',
  'vault.passphrase.differs': 'The passphrases do not match. Type it again.',
  'vault.change': 'Change the key or its location',
  'vault.change.text':
    'A new key is created and stored in the chosen location; the old one is removed from its own. Nothing has to be re-encrypted, and Runs continue.',
  'vault.change.same': 'Create a new key there',
  'vault.change.move': 'Move the key',
  'vault.change.ask': 'New location of the key: {place}',
  'vault.change.do': 'Create the new key',
  'vault.change.what':
    'Older backups of the data folder still need the old key, which is removed. Create a new backup afterwards.',
  'vault.changed': 'The new key is in use.',
  'vault.change.refused': 'The key cannot be stored there. Nothing has changed.',
  'vault.rotate': 'Rotate the data keys',
  'vault.rotate.text':
    'Creates new data keys and re-encrypts everything with them, in the background. Do this when a copy of the data folder and its key may have leaked.',
  'vault.rotate.do': 'Rotate',
  'vault.rotate.ask': 'Re-encrypt everything?',
  'vault.rotate.what':
    'It continues in the background and after a restart; you can keep working. Old keys are removed as soon as nothing needs them.',
  'vault.job.retrofit': 'Migrating values that an earlier version sealed: {count, number} so far',
  'vault.job.rotation': 'Re-encrypting: {count, number} so far',
  'vault.job.done': '{count, plural, one {# value was re-encrypted} other {# values were re-encrypted}}, the last one',
  'vault.oldKeys':
    '{count, plural, one {# old key is kept for plans, Runs or values that still need it.} other {# old keys are kept for plans, Runs or values that still need them.}}',
  'vault.unreadable':
    '{count, plural, one {# value cannot be opened with any key} other {# values cannot be opened with any key}}',
  'vault.unreadable.text':
    'Old keys are kept as long as there are any. If a key was lost, restore it from a backup and rotate again.',
  'seal.title': 'Ground Control is locked',
  'seal.place': 'Location of its key:',
  'seal.text': 'Nothing was changed or deleted. Nothing can be shown or run until the key is there.',
  'seal.why.key_missing':
    'Its key is gone: the key file, or the entry in the keychain, is not where it was. Restore it from a backup, then try again.',
  'seal.why.key_wrong': 'The key is not the one that this data was sealed with. Restore the right one, then try again.',
  'seal.why.key_file_refused':
    'Its key file cannot be used: others may read it, it is damaged, or it cannot be read or written. Correct that, then try again.',
  'seal.why.keychain_locked': 'The keychain of this machine is locked. Unlock it, then try again.',
  'seal.why.keychain_unavailable': 'No keychain answers on this machine. Start it, then try again.',
  'seal.why.passphrase_required': 'It waits for its passphrase.',
  'seal.why.passphrase_wrong': 'Incorrect passphrase. Type it again.',
  'seal.why.unknown': 'Its key is not available at the moment.',
  'seal.token': 'Operator token',
  'seal.token.help':
    'It proves that you run this server, because no sign-in can be checked now. It is in the file “operator-token” of the data folder.',
  'seal.token.missing': 'Paste the operator token.',
  'seal.token.wrong': 'This is not the operator token of this server. Copy the whole line of the file.',
  'seal.passphrase': 'Passphrase',
  'seal.passphrase.help': 'It is used to open the vault and is never stored.',
  'seal.passphrase.missing': 'Type the passphrase.',
  'seal.open': 'Open',
  'seal.again': 'Try again',
  'seal.still': 'It is still locked, for the reason above.',
  'seal.shell': 'Or open it from a shell on the machine of the server:',
  'seal.look': 'I have opened it: continue',
} as const;
