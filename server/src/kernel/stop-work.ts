/** Time that a stop gives to deliveries that are on their way. */
const stopMs = 2_000;

/** Waits for work that has to end, and aborts it after a moment. */
export async function stopWork(work: Promise<unknown>, stopping: AbortController): Promise<void> {
  const timer = setTimeout(() => stopping.abort(), stopMs);
  await work;
  clearTimeout(timer);
}
