/** After an apply that did not end well: what was reached, what is uncertain, and what to do. */
export const recovery = {
  'recovery.title': 'What was reached, and what to do',
  'recovery.cause.failed':
    'The tool could not make every change and stopped. What it had done until then is done; nothing was rolled back.',
  'recovery.cause.asked':
    'The apply was interrupted on request. What was done until then is done; nothing was rolled back.',
  'recovery.cause.died':
    'The tool was killed while it was working, for example by a crash or a power cut. What was done until then is done; nothing was rolled back.',
  'recovery.cause.unsaved':
    'The tool left no state that can be trusted. The newest good one was kept instead, so it may lag behind what exists.',
  'recovery.cause.lost':
    'Ground Control lost track of the tool and could not follow it to its end. The newest state that it had written was kept.',
  'recovery.cause.other':
    'The apply ended before it was done. What was done until then is done; nothing was rolled back.',
  'recovery.kept':
    'StateVersion generation {generation} holds {count, plural, =0 {no resources} one {# resource} other {# resources}}. Nothing else is applied to this Capsule until a new plan has been reviewed.',
  'recovery.kept.nothing': 'Nothing else is applied to this Capsule until a new plan has been reviewed.',
  'recovery.reached': 'What was reached',
  'recovery.reached.nothing': 'No change was reported as done.',
  'recovery.made': 'Created',
  'recovery.changed': 'Changed',
  'recovery.destroyed': 'Destroyed',
  'recovery.unsettled': 'Started, result unknown',
  'recovery.unsettled.text': 'The state contains them, so the next plan reads how each of them is.',
  'recovery.more': '{count, plural, one {Show # more} other {Show # more}}',
  'recovery.steps': 'What to do',
  'recovery.certain':
    'Nothing is uncertain: the state contains everything that may have been created. Plan again, and apply what is left.',
  'recovery.look': 'Check whether these exist',
  'recovery.look.text':
    'Open the console of the provider, or use its own tool, and look for each of these. The state does not contain them, so no plan can find them.',
  'recovery.uncertain':
    '{count, plural, one {# resource may exist that the state does not contain} other {# resources may exist that the state does not contain}}',
  'recovery.unnamed': '{count, plural, one {and # more, not named here} other {and # more, not named here}}',
  'recovery.filter': 'Search these addresses',
  'recovery.filter.nothing': 'No matching addresses.',
  'recovery.copyAll': 'All import blocks',
  'recovery.blocks': '{count, plural, one {# import block} other {# import blocks}}',
  'recovery.blockOf': 'import block of {address}',
  'recovery.grade.started': 'started, result unknown',
  'recovery.grade.started.text':
    'The tool started to create it and never reported the result. It may exist, whole or in part.',
  'recovery.grade.completed': 'reported as created',
  'recovery.grade.completed.text':
    'The tool reported that it was created, but was killed before the state recorded it. It probably exists.',
  'recovery.grade.errored': 'failed while being created',
  'recovery.grade.errored.text':
    'The provider answered with an error. Usually nothing was created; after a timeout or a crash something may exist all the same.',
  'recovery.grade.possible': 'may have been started',
  'recovery.grade.possible.text':
    'The record of this apply has a gap, so it is unknown whether it was started. Most likely it was not; check to be sure.',
  'recovery.take': 'Import what exists',
  'recovery.take.text':
    'For each one that exists, copy its import block into the module, write its real id into it, and commit. The next plan then imports it into the state instead of creating a second one. If the module cannot be changed, remove the object by hand in the console of the provider.',
  'recovery.take.none': 'Those that do not exist need no action.',
  'recovery.plan': 'Plan again',
  'recovery.plan.text': 'The plan reads what the state contains and shows what is left to do. It changes nothing.',
  'recovery.plan.cause':
    'Correct what the messages above name first. The plan then reads what the state contains and shows what is left to do. It changes nothing.',
  'recovery.review': 'Review and approve',
  'recovery.review.text':
    'Review the new plan as usual, then apply it. When it has succeeded, the state is complete again and this Capsule is like any other.',
  'recovery.over': 'A later apply has succeeded. Nothing of this is left to do.',
  'run.restarted': 'Ground Control was restarted while this apply ran.',
  'run.restarted.on': 'Ground Control was restarted while this apply ran. The apply continued.',
  'run.replaced': 'The supervisor of this apply was lost and replaced.',
  'run.replaced.on': 'The supervisor of this apply was lost and replaced. The apply continued.',
} as const;
