/** True on keyboards whose shortcuts use Command. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
