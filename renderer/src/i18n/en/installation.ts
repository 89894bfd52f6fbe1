/** The pause of a restored installation, and recovery kits. */
export const installation = {
  'pause.banner': 'Restored from a backup of {at}, and paused',
  'pause.banner.text':
    'Schedules, automatic updates, hooks, webhooks and mail are off. Later changes are not here: plan before you trust what you see.',
  'pause.banner.more': 'Read what this means',
  'restored.title': 'Restored installation',
  'restored.lead': 'What a restore brings back, what stays off until its pause ends, and what to review first.',
  'restored.what':
    'This installation is as it was at {at}. What was applied, changed or removed later is not in its states, and a plan shows it as a difference.',
  'restored.byHand':
    'Nothing starts on its own now. What you start works as usual: syncs, plans, approvals and applies. Plans from before the restore are superseded, so plan again.',
  'restored.who': 'The owner of this installation can end the pause, in the dashboard or on the machine of the server.',
  'restored.notPaused': 'Not paused',
  'restored.notPaused.others': 'Scheduled work is on.',
  'restored.never': 'This installation was not restored from a backup. Scheduled work is on.',
  'restored.ended': 'The pause ended at {at}',
  'restored.ended.text': 'Scheduled work is on.',
  'restored.off': 'Off during the pause',
  'restored.off.source_syncs': 'Syncs of Sources on a schedule',
  'restored.off.source_hooks': 'Hooks of Git hosts: a call is refused, so that the host shows it as failed',
  'restored.off.auto_updates': 'Automatic updates',
  'restored.off.drift_checks': 'Drift checks on a schedule',
  'restored.off.webhooks': 'Webhooks, except tests that you send',
  'restored.off.mails': 'Mail about events; a mail to reset a password is sent',
  'restored.off.backups': 'Backups on a schedule',
  'restored.off.credentials': 'Revoking credentials that were issued to Runs',
  'restored.endedRecords': 'Ended at the first start',
  'restored.endedRecords.none': 'Nothing was open at the moment of the backup.',
  'restored.ended.failedRuns':
    '{count, plural, one {# Run that was running: it failed. Look at its Capsule, and plan again.} other {# Runs that were running: they failed. Look at their Capsules, and plan again.}}',
  'restored.ended.cancelledRuns': '{count, plural, one {# Run that was queued} other {# Runs that were queued}}',
  'restored.ended.supersededPlans':
    '{count, plural, one {# plan, which can no longer be applied} other {# plans, which can no longer be applied}}',
  'restored.ended.sessions':
    '{count, plural, one {# session: the person signs in again} other {# sessions: everyone signs in again}}',
  'restored.ended.signInLinks': '{count, plural, one {# sign-in link} other {# sign-in links}}',
  'restored.ended.invitations':
    '{count, plural, one {# invitation: invite the person again} other {# invitations: invite the people again}}',
  'restored.ended.tokens':
    '{count, plural, one {# access token: create a new one} other {# access tokens: create new ones}}',
  'restored.ended.grants':
    '{count, plural, one {# sign-in of an app or command line} other {# sign-ins of apps and command lines}}',
  'restored.ended.deliveries':
    '{count, plural, one {# delivery of a webhook that waited} other {# deliveries of webhooks that waited}}',
  'restored.ended.mails': '{count, plural, one {# mail that waited} other {# mails that waited}}',
  'restored.ended.runnerMachines':
    '{count, plural, one {# runner machine: enrol it again} other {# runner machines: enrol them again}}',
  'restored.members': '{count, plural, one {# member} other {# members}} to review',
  'restored.members.text':
    'Members who were removed or got another role after the backup have their former role again, and an old password is valid again.',
  'restored.members.invited': 'Invited',
  'restored.connections': '{count, plural, one {# Connection} other {# Connections}} to review',
  'restored.connections.text':
    'A Connection that was revoked after the backup is live again, and one whose values were replaced has the old ones.',
  'restored.connections.operator': 'All Workspaces',
  'restored.review.none': 'None.',
  'restored.end': 'End the pause',
  'restored.end.text': 'After your review, and when the old server is gone for good.',
  'restored.end.do': 'End the pause',
  'restored.end.ask': 'Start scheduled work again?',
  'restored.end.what':
    'Schedules, automatic updates, hooks, webhooks and mail start at once. Automatic updates may apply changes that need no approval.',
  'restored.end.other': 'Two servers must not manage the same resources. Stop the old one first.',
  'kit.title': 'Recovery kit',
  'kit.what':
    'A recovery kit is a file with the key of this installation, encrypted for your passphrase. Without the key, no one can read the secrets and states in a backup.',
  'kit.passphrase': 'Passphrase of the kit',
  'kit.passphrase.again': 'Confirm passphrase of the kit',
  'kit.keep': 'Keep the file away from this machine, and the passphrase in another place than the file.',
  'kit.none': 'There is no kit yet.',
  'kit.made': 'The newest kit is of {at} and holds the key in use.',
  'kit.outdated': 'The newest kit is of {at}. The key was changed after it, so create a new one.',
  'kit.create': 'Create recovery kit',
  'kit.saved': 'Saved as {name}',
  'kit.saved.text': 'Move it to a safe place, and check it once: groundctl recovery-kit check FILE.',
  'kit.offer': 'Create a recovery kit before you need it',
  'kit.offer.outdated': 'Your recovery kit is out of date',
  'kit.dismiss': 'Not now',
} as const;
