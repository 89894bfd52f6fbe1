/**
 * An object that an apply may have created and that is not in the state. `started`: its end was never reported.
 * `completed`: its creation was reported as complete. `errored`: its creation failed. `possible`: the record of the
 * apply has a gap.
 */
export const orphanGrades = ['started', 'completed', 'errored', 'possible'] as const;
export type OrphanGrade = (typeof orphanGrades)[number];

/** Code of the diagnostic about one such object; its `detail` is an import block. */
export const orphanCode = (grade: OrphanGrade) => `orphan_${grade}` as const;
export const orphanGradeOf = (code: string | undefined): OrphanGrade | undefined =>
  orphanGrades.find((grade) => code === orphanCode(grade));

/** Code of the diagnostic that counts those beyond the first; its `detail` names their addresses, one a line. */
export const orphanRestCode = 'orphan_more';
export const orphanRestMessage = (count: number): string =>
  `${count} more ${count === 1 ? 'resource' : 'resources'} may exist that the state does not contain.`;
/** Returns the count in such a message, 0 for any other. */
export const readOrphanRest = (message: string): number =>
  Number(/^(\d+) more resources? may exist /.exec(message)?.[1] ?? 0);
/** The feed reports at most this many individually. */
export const maxReportedOrphans = 100;

/** Code of the note that the server was restarted while an apply ran. */
export const restartedCode = 'server_restarted';
/** Code of the note that the supervisor of an apply died and another one followed its tool from then on. */
export const replacedCode = 'supervisor_replaced';
/** Codes of the notes that the machine of an apply does not report any more, and that it does again. */
export const silentMachineCode = 'machine_silent';
export const machineBackCode = 'machine_heard_again';

const named: { readonly [char: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const escapeHidden = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/**
 * Returns a text as a quoted template of HCL that evaluates to the same text: nothing is interpolated, nothing is
 * invisible.
 */
const quoteHcl = (text: string): string =>
  `"${text
    .replace(/["\\\n\r\t]/g, (char) => named[char] as string)
    .replace(/([$%])\{/g, '$1$1{')
    .replace(hidden, escapeHidden)}"`;

/** Returns the import block for an existing object at this address. `id` is the provider's id. */
export const importBlock = (address: string, id: string): string =>
  `import {\n  to = ${address}\n  id = ${quoteHcl(id)}\n}`;

/** Placeholder for an id that only the provider knows; `hint` helps to find it, such as `name is web`. */
export const idPlaceholder = (type: string, hint?: string): string =>
  hint === undefined ? `<the id of this ${type}>` : `<the id of the ${type} whose ${hint}>`;
/** Code of the warning that says which state a lost apply was ended with. */
export const lastStateCode = 'last_state_arrived';
