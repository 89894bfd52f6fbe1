import type { MarkStep } from '#server/drivers/tofu/index';

/** A step of a set has no form in JSON. */
type StoredStep = string | number | null;
type StoredMarkPath = { path: StoredStep[]; generation: number };
type Move = { from: string; to: string; generation: number };

/** Marked paths of all generations of a Capsule, each with the last generation that marks it, and its moves. */
export type LateMarks = { paths: { [address: string]: StoredMarkPath[] }; moves: Move[] };
export const noLateMarks: LateMarks = { paths: {}, moves: [] };

type Added = {
  generation: number;
  marks: ReadonlyMap<string, readonly (readonly MarkStep[])[]>;
  moves: readonly { from: string; to: string }[];
};

/** Returns the marks with those of a further generation. */
export function addMarks({ paths, moves }: LateMarks, { generation, marks, moves: moved }: Added): LateMarks {
  const merged = new Map(Object.entries(paths));
  for (const [address, added] of marks) {
    const known = new Map((merged.get(address) ?? []).map((mark) => [JSON.stringify(mark.path), mark]));
    for (const steps of added) {
      const path = steps.map((step) => step ?? null);
      known.set(JSON.stringify(path), { path, generation });
    }
    merged.set(address, [...known.values()]);
  }
  return {
    paths: Object.fromEntries(merged),
    moves: [...moves, ...moved.map((move) => ({ ...move, generation }))],
  };
}

/**
 * Returns a function that finds the paths of an object that a later generation marks, under its address then or under
 * the address to which it was moved.
 */
export function createLateMarks({ paths, moves }: LateMarks, generation: number) {
  const later = moves.filter((move) => move.generation > generation);
  const byAddress = new Map(Object.entries(paths));
  return (address: string): MarkStep[][] => {
    let current = address;
    const addresses = new Set([current]);
    for (const { from, to } of later) {
      if (from !== current) continue;
      current = to;
      addresses.add(current);
    }
    return [...addresses].flatMap((name) =>
      (byAddress.get(name) ?? [])
        .filter((mark) => mark.generation > generation)
        .map(({ path }) => path.map((step) => step ?? undefined)),
    );
  };
}
