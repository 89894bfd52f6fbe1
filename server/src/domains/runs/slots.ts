/** Place of a Run among those that its handler executes at once. A Run that only waits leaves it to others. */
export type Slot = {
  leave(): void;
  /** Resolves when the Run has a slot again, before any queued one. Rejects when the signal aborts. */
  enter(signal: AbortSignal): Promise<void>;
};

/** Creates the slots of a handler. `onFree` is called when one is left that no Run waits for. */
export function createSlots(count: number, onFree: () => void) {
  const returning: (() => void)[] = [];
  let taken = 0;

  function free(): void {
    taken -= 1;
    if (taken >= count) return;
    const next = returning.shift();
    if (next) next();
    else onFree();
  }

  return {
    isFree: (): boolean => taken < count,

    /** Takes a slot. A resumed Run takes one although all are taken. */
    take(): Slot {
      let isTaken = true;
      taken += 1;
      const again = () => {
        isTaken = true;
        taken += 1;
      };
      return {
        leave() {
          if (!isTaken) return;
          isTaken = false;
          free();
        },
        async enter(signal) {
          signal.throwIfAborted();
          if (isTaken) return;
          if (taken < count) return again();
          await new Promise<void>((resolve, reject) => {
            const abort = () => {
              returning.splice(returning.indexOf(next), 1);
              reject(signal.reason);
            };
            const next = () => {
              signal.removeEventListener('abort', abort);
              again();
              resolve();
            };
            returning.push(next);
            signal.addEventListener('abort', abort, { once: true });
          });
        },
      };
    },
  };
}
