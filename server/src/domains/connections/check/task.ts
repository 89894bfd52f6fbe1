/** Expected format of a file. `text` accepts anything. */
export type FileFormat = 'json' | 'ini' | 'kubeconfig' | 'yaml' | 'pem' | 'text';

/** Input of the child, as JSON on its stdin; the variables themselves are in its environment. */
export type CheckTask = {
  /** Folder in memory to write the files into, as in a Run; absent where there is no sandbox, and nothing is written. */
  folder?: string;
  env: string[];
  files: { path: string; format: FileFormat; mode: number; content: string }[];
};

/** A finding without any content; `line` counts from 1. */
export type Problem = {
  name: string;
  what: 'missing' | 'unreadable' | 'not_whole' | 'outside_file' | 'encrypted';
  line?: number;
};
/** A problem that a Run will meet although the file is valid. */
export type Note = { name: string; what: 'starts_program' };
/** The earliest expiry among the checked values, in ms. */
export type Ending = { name: string; at: number };

/** Output of the child, as JSON on its stdout. */
export type CheckAnswer = { problems: Problem[]; notes: Note[]; ending?: Ending };
