import type { QuestionName } from './protocol.ts';

/** Questions that a sender may ask at once, those that it regains in a second, and those that may wait for their answers. */
type Limit = { burst: number; perSecond: number; open: number };

/**
 * A beat names up to 256 jobs, each of which is looked up. An honest runner beats every five seconds, and at the end of
 * each Run.
 */
const ofBeats: Limit = { burst: 60, perSecond: 10, open: 2 };
/** A runner that starts asks for all its jobs at once, and then once a second for each that is not prepared. */
const ofOthers: Limit = { burst: 1_000, perSecond: 300, open: 512 };
/** Senders after which those without an open question and with all their questions are forgotten. */
const usualMaxSenders = 10_000;

type Bucket = { questions: number; since: number; open: number };

export type QuestionLimit = ReturnType<typeof createQuestionLimit>;

/** Limits the questions of each sender, because all are answered in one thread. `now` returns milliseconds. */
export function createQuestionLimit(now = () => performance.now(), maxSenders = usualMaxSenders) {
  const buckets = new Map<string, Bucket>();

  function refill(bucket: Bucket, { burst, perSecond }: Limit): void {
    const at = now();
    bucket.questions = Math.min(burst, bucket.questions + ((at - bucket.since) * perSecond) / 1_000);
    bucket.since = at;
  }

  function bucketOf(key: string, limit: Limit): Bucket {
    const known = buckets.get(key);
    if (known) return known;
    if (buckets.size >= maxSenders * 2) deleteFull();
    const bucket = { questions: limit.burst, since: now(), open: 0 };
    buckets.set(key, bucket);
    return bucket;
  }

  function deleteFull(): void {
    for (const [key, bucket] of buckets) {
      const limit = limitOf(key);
      refill(bucket, limit);
      if (bucket.open === 0 && bucket.questions === limit.burst) buckets.delete(key);
    }
  }

  return {
    /** Counts a question. Returns the function that ends it; undefined for one that is not answered. */
    open(senderId: string, name: QuestionName | undefined): (() => void) | undefined {
      const kind = name === 'beat' ? 'beat' : 'other';
      const key = `${kind} ${senderId}`;
      const limit = limitOf(key);
      const bucket = bucketOf(key, limit);
      refill(bucket, limit);
      if (bucket.questions < 1 || bucket.open >= limit.open) return undefined;
      bucket.questions -= 1;
      bucket.open += 1;
      return () => {
        bucket.open -= 1;
      };
    },
    size: () => buckets.size,
  };
}

const limitOf = (key: string): Limit => (key.startsWith('beat ') ? ofBeats : ofOthers);
