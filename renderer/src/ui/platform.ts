/** True on keyboards whose shortcuts use Command. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys that open the palette. */
export const paletteKeys: readonly string[] = [isMac ? '⌘' : 'Ctrl', 'K'];
