/** Code and description of the error of RFC 6749, 4.1.2.1, for a server that cannot answer now. */
export const outage = {
  error: 'temporarily_unavailable',
  error_description: 'the server cannot store anything now, try again later',
} as const;
