/** The part of Electron's `powerSaveBlocker` that is used. */
type SystemBlocker = { start(type: 'prevent-app-suspension'): number; stop(id: number): boolean };

/** Keeps the system awake while an apply runs. The display may be turned off. */
export function createSleepBlocker(system: SystemBlocker) {
  let id: number | undefined;
  const release = () => {
    if (id !== undefined) system.stop(id);
    id = undefined;
  };
  return {
    /** Blocks while the number of running applies is positive. */
    update({ applying }: { applying: number }): void {
      if (applying === 0) release();
      else id ??= system.start('prevent-app-suspension');
    },
    release,
  };
}
