/** Keeps every file of the data folder while it is copied. */
export type GcHold = {
  /** Starts a hold and returns the function that ends it. Holds may overlap. */
  hold(): () => void;
  isHeld(): boolean;
};

export function createGcHold(): GcHold {
  const holds = new Set<symbol>();
  return {
    hold() {
      const one = Symbol('hold');
      holds.add(one);
      return () => void holds.delete(one);
    },
    isHeld: () => holds.size > 0,
  };
}
