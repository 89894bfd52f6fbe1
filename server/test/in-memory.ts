/*
 * Loaded before each integration and fuzz test file, and imported by crash tests that simulate no power cut:
 * temporary folders are made in memory where there is enough of it.
 */

const folder = process.env['GROUNDCTL_TEST_MEMORY'];
if (folder !== undefined) process.env['TMPDIR'] = folder;
