/** After an apply that did not end well: what was reached, what is uncertain, and what to do. */
export const recovery = {
  'recovery.title': 'What was reached, and what to do',
  'recovery.cause.failed':
    'The tool could not make every change and stopped. What it had done until then is done; nothing was taken back.',
  'recovery.cause.asked':
    'The apply was interrupted when somebody asked for it. What was done until then is done; nothing was taken back.',
  'recovery.cause.died':
    'The tool was ended from outside in the middle of its work, as by a crash or a power cut. What was done until then is done; nothing was taken back.',
  'recovery.cause.unsaved':
    'The tool left no state that can be trusted. The newest good one was kept instead, so it may lag behind what exists.',
  'recovery.cause.lost':
    'Ground Control lost sight of the tool and could not follow it to its end. The newest state that it had written was kept.',
  'recovery.cause.other':
    'The apply ended before it was done. What was done until then is done; nothing was taken back.',
  'recovery.kept':
    'StateVersion generation {generation} holds {count, plural, =0 {no resources} one {# resource} other {# resources}}. Nothing else is applied to this Capsule before somebody has reviewed a new plan.',
  'recovery.kept.nothing': 'Nothing else is applied to this Capsule before somebody has reviewed a new plan.',
  'recovery.reached': 'What was reached',
  'recovery.reached.nothing': 'No change was reported as done.',
  'recovery.made': 'Made',
  'recovery.changed': 'Changed',
  'recovery.destroyed': 'Destroyed',
  'recovery.unsettled': 'Begun, end unknown',
  'recovery.unsettled.text':
    'The state knows what was begun without an end, so the next plan reads how each of them is.',
  'recovery.more': '{count, plural, one {Show # more} other {Show # more}}',
  'recovery.steps': 'What to do',
  'recovery.certain':
    'Nothing is uncertain: the state knows everything that may have been made. Plan again, and apply what is left.',
  'recovery.look': 'Look whether these exist',
  'recovery.look.text':
    'Open the console of the provider, or ask it with its own tool, and look for each of these. The state does not know them, so no plan can find them by itself.',
  'recovery.uncertain':
    '{count, plural, one {# resource may exist that the state does not know} other {# resources may exist that the state does not know}}',
  'recovery.unnamed': '{count, plural, one {and # more, not named here} other {and # more, not named here}}',
  'recovery.filter': 'Search these addresses',
  'recovery.filter.nothing': 'No address is like this.',
  'recovery.copyAll': 'All import blocks',
  'recovery.blocks': '{count, plural, one {# import block} other {# import blocks}}',
  'recovery.blockOf': 'import block of {address}',
  'recovery.grade.started': 'begun, end unknown',
  'recovery.grade.started.text':
    'The tool began to make it and never said how that ended. It may exist, whole or in part.',
  'recovery.grade.completed': 'reported as made',
  'recovery.grade.completed.text':
    'The tool said that it was made, but was ended before the state said so too. It probably exists.',
  'recovery.grade.errored': 'failed while being made',
  'recovery.grade.errored.text':
    'The provider answered with an error. Most often nothing was made then; after a timeout or a crash something may exist all the same.',
  'recovery.grade.possible': 'may have been begun',
  'recovery.grade.possible.text':
    'The record of this apply has a gap, so nobody can say whether it was begun. Most likely it was not; look to be sure.',
  'recovery.take': 'Take in what exists',
  'recovery.take.text':
    'For each one that exists, copy its import block into the module, write its real id into it, and commit. The next plan then takes it into the state instead of making a second one. When the module cannot be changed, remove the thing by hand in the console of the provider.',
  'recovery.take.none': 'Nothing is to be done for those that do not exist.',
  'recovery.plan': 'Plan again',
  'recovery.plan.text': 'The plan reads what the state knows and shows what is left to do. It changes nothing.',
  'recovery.plan.cause':
    'Correct first what the messages above name. The plan then reads what the state knows and shows what is left to do. It changes nothing.',
  'recovery.review': 'Review and approve',
  'recovery.review.text':
    'Read the new plan as always, then apply it. When it has ended well, the state is complete again and this Capsule is as any other.',
  'recovery.over': 'A later apply has ended well since. Nothing of this is left to do.',
  'run.restarted': 'Ground Control was restarted while this apply ran.',
  'run.restarted.on': 'Ground Control was restarted while this apply ran; it went on.',
  'run.replaced': 'The process that followed this apply was lost, and another one took its place.',
  'run.replaced.on': 'The process that followed this apply was lost; the apply went on, and another one followed it.',
} as const;
