import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { type BindingEvent, bindingMachine } from '#shared/interfaces/machine';
import { next } from '#shared/kernel/machine';
import type { BindingRow, BindingsStore } from './bindings-store.ts';
import { type DeliveryPorts, findDeliveryFault } from './delivery.ts';
import type { InterfaceRow } from './store.ts';

type Deps = { clock: Clock; bindings: Pick<BindingsStore, 'listLiveOf' | 'update'>; delivery: DeliveryPorts };
export type BindingPhases = ReturnType<typeof createBindingPhases>;

/** The only writer of the phase of a binding. */
export function createBindingPhases({ clock, bindings, delivery }: Deps) {
  function move(
    { resolvedRevision: observedInterfaceRevision }: InterfaceRow,
    binding: BindingRow,
    { event, reason }: { event: BindingEvent; reason: BindingRow['reason'] },
  ): BindingRow {
    const phase = next(bindingMachine, binding.phase, event);
    if (!phase) return binding;
    const isSame = phase === binding.phase && reason === binding.reason;
    if (isSame && observedInterfaceRevision === binding.observedInterfaceRevision) return binding;
    const now = clock.now();
    const times = { ...(phase !== binding.phase && { phaseAt: now }), updatedAt: now };
    const set = { phase, reason, observedInterfaceRevision, ...times };
    if (!bindings.update(binding, set))
      throw new AppError('conflict', 'The binding was modified by another request. Reload and try again.');
    return { ...binding, ...set };
  }

  const revoke = (row: InterfaceRow, binding: BindingRow): BindingRow =>
    move(row, binding, { event: 'revoke', reason: null });

  /** Decides whether a binding can be used now. */
  function evaluate(row: InterfaceRow, binding: BindingRow): BindingRow {
    if (row.phase === 'Retired') return revoke(row, binding);
    const reason = findDeliveryFault(row, binding, delivery) ?? null;
    return move(row, binding, { event: reason === null ? 'allow' : 'refuse', reason });
  }

  return {
    revoke,
    evaluate,
    /** Decides about every live binding of an Interface. Reports whether one of them changed. */
    evaluateAll: (row: InterfaceRow): boolean =>
      bindings.listLiveOf(row.id).filter((binding) => evaluate(row, binding) !== binding).length > 0,
  };
}
