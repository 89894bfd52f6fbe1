/** `file_unreadable` and `rewrite_differs` name a file, the others a call, a package or a link. */
export type ModuleCallErrorCode =
  | 'file_unreadable'
  | 'source_not_expressible'
  | 'rewrite_differs'
  | 'call_not_resolved'
  | 'module_cycle'
  | 'module_invalid'
  | 'tree_refused'
  | 'tree_too_large';

/** Failure to follow or to rewrite module calls: a code and a sentence for a person. */
export class ModuleCallError extends Error {
  readonly code: ModuleCallErrorCode;

  constructor(code: ModuleCallErrorCode, message: string) {
    super(message);
    this.name = 'ModuleCallError';
    this.code = code;
  }
}
