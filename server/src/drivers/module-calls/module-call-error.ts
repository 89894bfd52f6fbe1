/** `interrupted` is a worker that ended or took too long; the others are about what was read. */
export type ModuleCallErrorCode =
  | 'file_unreadable'
  | 'source_not_expressible'
  | 'rewrite_differs'
  | 'call_not_resolved'
  | 'module_cycle'
  | 'module_invalid'
  | 'tree_refused'
  | 'tree_too_large'
  | 'archive_unreadable'
  | 'interrupted';

/** Failure to follow or to rewrite module calls: a code and a sentence for a person. */
export class ModuleCallError extends Error {
  readonly code: ModuleCallErrorCode;

  constructor(code: ModuleCallErrorCode, message: string) {
    super(message);
    this.name = 'ModuleCallError';
    this.code = code;
  }
}
