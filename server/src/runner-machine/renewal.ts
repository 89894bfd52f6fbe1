type Deps = {
  /** Asks for a right that ends later; undefined when the machine was revoked. */
  renew: () => Promise<string | undefined>;
  /** Takes the new right. */
  take: (jwt: string) => void;
  /** Called when the server says that the machine was revoked. */
  onRevoked: () => void;
  signal: AbortSignal;
};

const renewMs = 6 * 3_600_000;
const retryMs = 60_000;

/** Renews the right of a machine to connect at once, and then four times a day. Ends with the signal. */
export function keepRight({ renew, take, onRevoked, signal }: Deps): void {
  let timer: NodeJS.Timeout | undefined;
  const schedule = (ms: number): void => {
    if (!signal.aborted) timer = setTimeout(() => void attempt(), ms).unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  async function attempt(): Promise<void> {
    try {
      const jwt = await renew();
      if (jwt === undefined) return onRevoked();
      take(jwt);
      schedule(renewMs);
    } catch {
      schedule(retryMs);
    }
  }
  // A machine that is started often would otherwise never renew it.
  void attempt();
}
