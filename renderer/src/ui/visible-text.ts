/** Said once for every reader of a stranger's text: the dashboard and the command line. */
export { visibleLine, visibleText } from '#shared/visible-text';
