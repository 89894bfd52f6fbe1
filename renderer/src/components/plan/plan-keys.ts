import type { KeyGroup } from '../../ui/keys/key-help.ts';

/** Keys of a list of changes. */
export const planKeys: KeyGroup = {
  title: 'plan.keys.title',
  lines: [
    { keys: ['j', 'k', '↓', '↑'], text: 'plan.keys.move' },
    { keys: ['Enter', 'Space', 'o'], text: 'plan.keys.toggle' },
    { keys: ['→', '←'], text: 'plan.keys.sides' },
    { keys: ['Home', 'End'], text: 'plan.keys.ends' },
    { keys: ['n', 'p'], text: 'plan.keys.danger' },
    { keys: ['/'], text: 'plan.keys.search' },
    { keys: ['Esc'], text: 'plan.keys.leave' },
    { keys: ['e'], text: 'plan.keys.expand' },
    { keys: ['c'], text: 'plan.keys.collapse' },
  ],
};
