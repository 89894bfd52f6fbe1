import type { OwnerRef } from '#shared/interfaces/contract';
import type { BindingActor, BindingWrites, NewBinding } from './bindings.ts';
import { bindingDigestOf } from './bindings.ts';
import type { BindingOriginColumns, BindingRow, BindingsStore } from './bindings-store.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';
import type { InterfaceWrites, NewInterface } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'findOfBlueprint' | 'clearBlueprint'>;
  bindingsStore: Pick<BindingsStore, 'listLiveOf'>;
  writes: Pick<InterfaceWrites, 'insert' | 'change' | 'retire'>;
  bindings: BindingWrites;
};
/** A blueprint of a configuration or package with the Interface that it describes. */
type PlacedBlueprint = NewInterface & {
  blueprintKey: string;
  blueprintDigest: string;
  bindingKeys: readonly string[];
};
export type BlueprintWrites = ReturnType<typeof createBlueprintWrites>;

/** Key of the binding in the blueprint that it was made of; undefined for one that was made by request. */
const bindingKeyOf = ({ origin, packageKey }: BindingRow): string | undefined =>
  packageKey ?? (origin?.source === 'capsule_blueprint' ? origin.key : undefined);

/** Brings Interfaces and bindings to the blueprints of their owner. Everything belongs to the caller's transaction. */
export function createBlueprintWrites({ store, bindingsStore, writes, bindings }: Deps) {
  function revokeWhere(row: InterfaceRow, isDropped: (binding: BindingRow) => boolean, actor: BindingActor): void {
    for (const binding of bindingsStore.listLiveOf(row.id))
      if (isDropped(binding)) bindings.revoke(row, binding, actor);
  }

  return {
    /** Retires the Interface of a blueprint that was removed; one that comes back is made again. */
    retire(owner: OwnerRef, key: string, actor: BindingActor): void {
      const row = store.findOfBlueprint(owner, key);
      if (row && row.phase !== 'Retired') writes.retire(row, actor);
      store.clearBlueprint(owner, key);
    },

    /** Creates the Interface, or brings a live one to the blueprint and revokes bindings that the blueprint no longer has. */
    place(row: InterfaceRow | undefined, placed: PlacedBlueprint, actor: BindingActor): InterfaceRow {
      const { blueprintKey, blueprintDigest, bindingKeys, ...input } = placed;
      const blueprint = { blueprintKey, blueprintDigest };
      if (!row || row.phase === 'Retired') return writes.insert(input, actor, blueprint);
      const { name, labels = {}, spec } = input;
      const changed = writes.change(row, { name, labels, spec }, actor, blueprint);
      const isDropped = (binding: BindingRow) => {
        const key = bindingKeyOf(binding);
        return key !== undefined && !bindingKeys.includes(key);
      };
      revokeWhere(changed, isDropped, actor);
      return changed;
    },

    /** Makes a binding of a blueprint, and revokes what was made of the same key before. */
    bind(row: InterfaceRow, input: NewBinding, more: BindingActor & BindingOriginColumns & { key: string }): void {
      const { key, ...rest } = more;
      const { origin, packageKey, ...actor } = rest;
      const digest = bindingDigestOf(input);
      revokeWhere(row, (binding) => bindingKeyOf(binding) === key && binding.specDigest !== digest, actor);
      bindings.ensure(row, input, rest);
    },
  };
}
