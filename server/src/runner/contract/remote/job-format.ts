/**
 * Format of jobs that this version writes and reads. A machine that reads an older one gets none: servers are updated
 * first, machines after them.
 */
export const jobFormat = 1;
