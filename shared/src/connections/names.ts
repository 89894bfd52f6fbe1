const shape = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Names that steer the loader, the shell, the tool or this product. Case is ignored, because some systems do not
 * distinguish it. The runner refuses the same names again when it builds an environment.
 */
const steering =
  /^(?:PATH$|HOME$|LD_|DYLD_|NODE_|SVC_|GROUNDCTL_|TF_|TOFU_|GO(?:GC|MEMLIMIT|DEBUG|TRACEBACK|ROOT|MAXPROCS)$|TMPDIR$|PWD$|SHELL$|IFS$|ENV$|BASH_ENV$|CHECKPOINT_|PS4$|PROMPT_COMMAND$|PLUGIN_)/i;

/** Reports whether a Connection may set an environment variable of this name. */
export const isCredentialEnvName = (name: string): boolean => shape.test(name) && !steering.test(name);

const filePart = /^(?!\.{1,2}$)[A-Za-z0-9._@+-]{1,100}$/;

/**
 * Reports whether a text is a valid file name of a Connection: up to four names of plain characters joined by `/`,
 * relative to the folder in which a Run receives its credential files.
 */
export function isCredentialFilePath(path: string): boolean {
  const parts = path.split('/');
  return parts.length <= 4 && parts.every((part) => filePart.test(part));
}
