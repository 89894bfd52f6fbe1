/** A state machine as plain data: from each state, which event leads where. An empty row is terminal. */
export type Machine<S extends string, E extends string> = Readonly<Record<S, Partial<Readonly<Record<E, S>>>>>;

/** The state an event leads to, or undefined when the move does not exist. */
export const next = <S extends string, E extends string>(machine: Machine<S, E>, state: S, event: E): S | undefined =>
  machine[state][event];

export const isTerminal = <S extends string, E extends string>(machine: Machine<S, E>, state: S): boolean =>
  Object.keys(machine[state]).length === 0;
