/** A state machine as plain data: for each state, the target state of each event. An empty row is terminal. */
export type Machine<S extends string, E extends string> = Readonly<Record<S, Partial<Readonly<Record<E, S>>>>>;

/** Returns the target state of an event, or undefined when the transition does not exist. */
export const next = <S extends string, E extends string>(machine: Machine<S, E>, state: S, event: E): S | undefined =>
  machine[state][event];

export const isTerminal = <S extends string, E extends string>(machine: Machine<S, E>, state: S): boolean =>
  Object.keys(machine[state]).length === 0;
