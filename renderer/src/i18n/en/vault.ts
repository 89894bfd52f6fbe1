/** The vault: where its key is kept, and the page of a sealed one. */
export const vault = {
  'vault.lead': 'The key that opens what is sealed here, and what this server is and can do.',
  'vault.forbidden.title': 'Only for the owner of this installation',
  'vault.forbidden.text':
    'The key belongs to the installation, so only its owner can see or change it. If that is you, switch to a Workspace that you own.',
  'vault.missed.title': 'The key is in a file, because no keychain could be had',
  'vault.missed.text': 'When the keychain works, you can move the key there below.',
  'vault.where': 'Where the key is',
  'vault.what':
    'Tokens, states, plans and sensitive values are sealed in the data folder. This key opens them all, so it has to be kept apart from them.',
  'vault.place': 'Place',
  'vault.place.keychain': 'Entry',
  'vault.place.file': 'Path',
  'vault.made': 'Made',
  'vault.keyId': 'Key',
  'vault.now': 'now',
  'vault.keychain': 'Keychain of this machine',
  'vault.keychain.text':
    'The operating system keeps it with your other passwords. It opens when you are signed in to this machine.',
  'vault.keychain.backup':
    'A copy or back-up of the data folder alone opens nothing, also not on another machine. Back up the keychain too, or move the key to a passphrase before you move the folder.',
  'vault.file': 'Key file',
  'vault.file.text': 'A file that only your user may read. The server opens the vault by itself when it starts.',
  'vault.file.backup':
    'Whoever has both the data folder and this file can read everything. Back the file up, in another place than the folder: without it, what is sealed is lost for ever.',
  'vault.passphrase': 'Passphrase',
  'vault.passphrase.text':
    'The key is made of words you know. They are asked for at every start, unless the server was told of a file that holds them.',
  'vault.passphrase.backup':
    'A back-up of the data folder and the passphrase together are enough to open it anywhere. A passphrase that is forgotten cannot be replaced: what is sealed is lost for ever.',
  'vault.passphrase.new': 'New passphrase',
  'vault.passphrase.again': 'The same again',
  'vault.passphrase.help': 'At least 12 characters. Several words that do not belong together are good.',
  'vault.passphrase.short': 'Write at least 12 characters.',
  'vault.passphrase.differs': 'The two are not the same. Type it again.',
  'vault.change': 'Change the key or its place',
  'vault.change.text':
    'A new key is made and kept in the chosen place; the old one is taken out of its own. Nothing has to be sealed anew, and Runs go on.',
  'vault.change.same': 'Make a new key there',
  'vault.change.move': 'Move the key',
  'vault.change.ask': 'New place of the key: {place}',
  'vault.change.do': 'Make the new key',
  'vault.change.what':
    'Older back-ups of the data folder still need the old key, which is removed. Make a new back-up afterwards.',
  'vault.changed': 'The new key is in use.',
  'vault.change.refused': 'The key cannot be kept there. Nothing has changed.',
  'vault.rotate': 'Rotate the data keys',
  'vault.rotate.text':
    'Makes new keys for the data and seals everything anew with them, in the background. Worth doing when a copy of the data folder and its key may have come into other hands.',
  'vault.rotate.do': 'Rotate',
  'vault.rotate.ask': 'Seal everything anew?',
  'vault.rotate.what':
    'It goes on in the background and after a restart; you can keep working. Old keys are removed as soon as nothing needs them.',
  'vault.job.retrofit': 'Taking over what an earlier version sealed: {count, number} so far',
  'vault.job.rotation': 'Sealing anew: {count, number} so far',
  'vault.job.done': '{count, plural, one {# value was sealed anew} other {# values were sealed anew}}, the last one',
  'vault.oldKeys':
    '{count, plural, one {# old key is kept for plans, Runs or values that still need it.} other {# old keys are kept for plans, Runs or values that still need them.}}',
  'vault.unreadable': '{count, plural, one {# value opens with no key} other {# values open with no key}}',
  'vault.unreadable.text':
    'Old keys are kept as long as there are any. If a key was lost, put it back from a back-up and rotate again.',
  'seal.title': 'Ground Control is locked',
  'seal.place': 'The place of its key:',
  'seal.text': 'Nothing was changed or deleted. Nothing can be shown or run until the key is there.',
  'seal.why.key_missing':
    'Its key is gone: the key file, or the entry in the keychain, is not where it was. Put it back from a back-up, then try again.',
  'seal.why.key_wrong':
    'There is a key, and it is not the one this data was sealed with. Put the right one back, then try again.',
  'seal.why.key_file_refused':
    'Its key file cannot be used: others may read it, it is damaged, or it cannot be read or written. Correct that, then try again.',
  'seal.why.keychain_locked': 'The keychain of this machine is locked. Unlock it, then try again.',
  'seal.why.keychain_unavailable': 'No keychain answers on this machine. Start it, then try again.',
  'seal.why.passphrase_required': 'It waits for its passphrase.',
  'seal.why.passphrase_wrong': 'The passphrase was not the right one. Type it again.',
  'seal.why.unknown': 'Its key cannot be had at the moment.',
  'seal.token': 'Operator token',
  'seal.token.help':
    'It proves that you run this server, because no sign-in can be checked now. It stands in the file “operator-token” of the data folder.',
  'seal.token.missing': 'Paste the operator token.',
  'seal.token.wrong': 'This is not the operator token of this server. Copy the whole line of the file.',
  'seal.passphrase': 'Passphrase',
  'seal.passphrase.help': 'It is used to open the vault and kept nowhere.',
  'seal.passphrase.missing': 'Type the passphrase.',
  'seal.open': 'Open',
  'seal.again': 'Try again',
  'seal.still': 'It is still locked, for the reason above.',
  'seal.shell': 'Or open it from a shell on the machine of the server:',
  'seal.look': 'I have opened it: go on',
} as const;
