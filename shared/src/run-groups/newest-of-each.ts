type Member = { capsuleId?: string | null | undefined };

/**
 * Returns the newest Run of each Capsule of a group: its plan, then its apply, then the plan of a retry. The members are
 * in the order of a group, where later Runs of a Capsule come after earlier ones.
 */
export const newestOfEach = <M extends Member>(members: readonly M[]): M[] => [
  ...new Map(members.map((run) => [run.capsuleId, run])).values(),
];
