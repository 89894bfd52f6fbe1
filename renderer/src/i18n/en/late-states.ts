export const lateStates = {
  'lateState.title': 'A state arrived after its apply was ended',
  'lateState.text':
    'The machine of the apply came back and brought the state that it reached. It does not count until an owner or admin adopts it. Decide before you plan again: a plan is based on the older current state, and would create its additional resources a second time.',
  'lateState.first':
    'Adopt or dismiss the state that arrived late first: a plan now would be based on the older state.',
  'lateState.facts': 'Arrived {at}, serial {serial, number}, {count, plural, one {# resource} other {# resources}}.',
  'lateState.run': 'Show the apply',
  'lateState.same': 'It has the same resources with the same content as the current state, generation {generation}.',
  'lateState.added':
    '{count, plural, one {# resource} other {# resources}} not in the current state, generation {generation}',
  'lateState.removed':
    '{count, plural, one {# resource} other {# resources}} only in the current state, generation {generation}',
  'lateState.changed':
    '{count, plural, one {# resource} other {# resources}} with other content than in the current state, generation {generation}',
  'lateState.superseded':
    'The Capsule got another state since this apply was ended. Adopting this one replaces it: resources only in the current state are no longer tracked.',
  'lateState.adopt': 'Adopt state…',
  'lateState.replace': 'Replace the newer state…',
  'lateState.dismiss': 'Dismiss',
  'lateState.dismiss.title': 'Dismiss this state?',
  'lateState.dismiss.text': 'It is deleted. Resources that only it names stay where they are and are not tracked.',
  'lateState.expires': 'Deleted',
  'lateState.restore': 'Show the restore',
  'lateState.phase.requested': 'A restore of this state waits or runs.',
  'lateState.phase.adopted': 'This state was adopted.',
  'lateState.phase.dismissed': 'This state was dismissed.',
  'lateState.phase.expired': 'This state was deleted because no one decided about it.',
  'restore.effect.late': 'The Capsule gets the late state as a new StateVersion. The current one stays in the list.',
  'restore.returns.late': 'State of the ended apply',
  'restore.from.late': 'A state that arrived after its apply was ended.',
} as const;
