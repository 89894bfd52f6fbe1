/*
 * Loaded before each test file. A server sets a umask of 077, which the next file of the same worker would inherit, and
 * what that file writes for another user of the machine could not be read.
 */
process.umask(0o022);
