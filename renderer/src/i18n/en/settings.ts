/** Page of the settings. */
export const settings = {
  'settings.lead': 'How this browser shows Ground Control, and the way to every other setting.',
  'settings.appearance': 'Appearance and language',
  'settings.appearance.text': 'Stored in this browser.',
  'settings.keyboard': 'Keyboard',
  'settings.keyboard.show': 'Show keys',
  'settings.more': 'More settings',
  'settings.more.workspace': 'Name, policy, Projects, archive and deletion',
  'settings.more.members': 'Who may read, propose and approve',
  'settings.more.account': 'Sessions and password',
  'settings.more.tokens': 'For programs and the command line',
  'settings.more.api': 'Every route of this server',
  'settings.installation': 'This installation',
} as const;
