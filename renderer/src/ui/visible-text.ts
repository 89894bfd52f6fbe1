/** Re-exported for all readers of untrusted text: the dashboard and the command line. */
export { terminalStyle, visibleLine, visibleText } from '#shared/visible-text';
