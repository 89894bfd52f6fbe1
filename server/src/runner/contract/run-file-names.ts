/** The redacted projection of a plan, in the folder of its Run. */
export const planDocumentFile = 'plan.json';

/** Reports whether a file is a copy of the state of a running apply. Older ones are deleted when there are newer ones. */
export const isStateCopy = (name: string): boolean => /^state-\d+-[0-9a-f]+\.tfstate$/.test(name);
