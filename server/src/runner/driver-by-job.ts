import type { RunnerDriver } from './driver.ts';

/** Executes each job with the driver that is chosen for it, which stays the same as long as the job is known. */
export const createDriverByJob = (choose: (jobId: string) => RunnerDriver): RunnerDriver => ({
  start: (job) => choose(job.id).start(job),
  follow: (jobId, options) => choose(jobId).follow(jobId, options),
  isAlive: (jobId) => choose(jobId).isAlive(jobId),
  truncateTornTail: (jobId) => choose(jobId).truncateTornTail(jobId),
  withdraw: (jobId) => choose(jobId).withdraw(jobId),
  endLeftovers: (job) => choose(job.id).endLeftovers(job),
  cancel: (jobId) => choose(jobId).cancel(jobId),
});
