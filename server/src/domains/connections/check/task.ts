/** How a file has to read. `text` takes anything. */
export type FileFormat = 'json' | 'ini' | 'kubeconfig' | 'yaml' | 'pem' | 'text';

/** What the child is asked, as JSON on its input; the variables themselves are in its environment. */
export type CheckTask = {
  /** Folder in memory to lay the files into, as a Run gets them; absent where there is no sandbox, and nothing is written. */
  folder?: string;
  env: string[];
  files: { path: string; format: FileFormat; mode: number; content: string }[];
};

/** What is wrong, without a word of the content; `line` counts from 1. */
export type Problem = {
  name: string;
  what: 'missing' | 'unreadable' | 'not_whole' | 'outside_file' | 'encrypted';
  line?: number;
};
/** Something a Run will meet, though the file reads. */
export type Note = { name: string; what: 'starts_program' };
/** The first end among what is checked, in ms. */
export type Ending = { name: string; at: number };

/** What the child answers, as JSON on its output. */
export type CheckAnswer = { problems: Problem[]; notes: Note[]; ending?: Ending };
