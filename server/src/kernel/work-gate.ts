/** Decides whether work may act now. */
export type WorkGate = {
  /** Read directly before something acts, not only when it is scheduled. */
  mayAct(): boolean;
  /** Registers work that continues each time it may act again. */
  onOpen(work: () => void): void;
};

/** Gate that is always open. */
export const openGate: WorkGate = { mayAct: () => true, onOpen: () => {} };

/** Condition of a gate; `onChange` calls its listener after each change. */
export type WorkCondition = { mayAct(): boolean; onChange(listener: () => void): void };

/** Creates a gate that is open while every condition allows work. */
export function createWorkGate(conditions: readonly WorkCondition[]): WorkGate {
  const registered: (() => void)[] = [];
  const mayAct = () => conditions.every((condition) => condition.mayAct());
  let wasOpen = mayAct();

  function update(): void {
    const opens = mayAct() && !wasOpen;
    wasOpen = mayAct();
    if (opens) for (const work of registered) work();
  }
  for (const condition of conditions) condition.onChange(update);
  return { mayAct, onOpen: (work) => void registered.push(work) };
}
