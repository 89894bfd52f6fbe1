/** Beats without progress of the server after which what was sent is sent again. */
const patience = 3;

export type Stall = ReturnType<typeof createStall>;

/** Notices that what a job has sent does not arrive. */
export function createStall() {
  let silentBeats = 0;
  let arrived = 0;
  return {
    /** Bytes that the server has. */
    get arrived(): number {
      return arrived;
    },
    /**
     * Takes the answer to a beat. True when the server has not moved for a while and lacks bytes that were sent. A server
     * that is fetching a file moves, though its journal does not.
     */
    isStuck(arrivedNow: number, sent: number, isFetching = false): boolean {
      silentBeats = arrivedNow === arrived && arrivedNow < sent && !isFetching ? silentBeats + 1 : 0;
      arrived = arrivedNow;
      if (silentBeats < patience) return false;
      silentBeats = 0;
      return true;
    },
  };
}
