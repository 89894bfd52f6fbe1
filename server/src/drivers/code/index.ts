export { type Code, createCode } from './code.ts';
export type { FileResult, LinesResult, ReadmeResult } from './types.ts';
