import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { IntentRow } from './intents-store.ts';
import type { BindingItem, IntentItem } from './schema.ts';

/**
 * Reports whether a binding has to be made. Bindings follow only a blueprint that changed, so that what a person revoked
 * stays revoked.
 */
export const isDue = ({ interfaceKey, owed }: BindingItem, items: readonly IntentItem[]): boolean =>
  owed === true ||
  items.some((item) => item.kind === 'interface' && item.key === interfaceKey && item.changed === true);

type Unfinished = Pick<IntentRow, 'items' | 'nextItemIndex'>;
const isSame = (one: BindingItem, other: BindingItem): boolean =>
  one.interfaceKey === other.interfaceKey && one.key === other.key;

/**
 * Lists the steps of an apply: keys to retire, then each Interface before its bindings. What unfinished intents, which
 * it replaces, still had to bind stays due.
 */
export function itemsOf(
  { removed, blueprints }: { removed: readonly string[]; blueprints: readonly InterfaceBlueprint[] },
  unfinished: readonly Unfinished[],
): IntentItem[] {
  const owed = unfinished.flatMap(({ items, nextItemIndex }) =>
    items.slice(nextItemIndex).filter((item): item is BindingItem => item.kind === 'binding' && isDue(item, items)),
  );
  const bindingOf = (interfaceKey: string, key: string): BindingItem => {
    const item: BindingItem = { kind: 'binding', interfaceKey, key };
    return owed.some((other) => isSame(item, other)) ? { ...item, owed: true } : item;
  };
  return [
    ...removed.map((key) => ({ kind: 'retire' as const, key })),
    ...blueprints.flatMap(({ key, bindings = [] }): IntentItem[] => [
      { kind: 'interface', key },
      ...bindings.map((binding) => bindingOf(key, binding.key)),
    ]),
  ];
}
