/** Words of the pieces that every page is made of. */
export const pieces = {
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  newtab: 'opens in a new tab',
  'changes.words': '{add} to add, {change} to change, {destroy} to destroy',
  'changes.none': 'No resource changes',
  'changes.import': '{count} to import',
  'changes.forget': '{count} to forget',
  'step.waiting': 'waits',
  'step.running': 'under way',
  'step.done': 'done',
  'step.failed': 'failed',
} as const;
