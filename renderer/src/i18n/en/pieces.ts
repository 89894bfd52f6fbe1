/** Words of the pieces that every page is made of. */
export const pieces = {
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  newtab: 'opens in a new tab',
  'changes.words': '{add, number} to add, {change, number} to change, {destroy, number} to destroy',
  'changes.none': 'No resource changes',
  'changes.import': '{count, number} to import',
  'changes.forget': '{count, number} to forget',
  'step.waiting': 'waiting',
  'step.running': 'running',
  'step.done': 'done',
  'step.failed': 'failed',
  'form.refused': '{count, plural, one {# field needs a correction} other {# fields need a correction}}',
  'form.refused.open': 'Go to the field',
  'form.refused.field': 'Field {number}',
} as const;
