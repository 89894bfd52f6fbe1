/** Risk of following an address that is not an app's own. */
type ReturnRisk = 'share' | 'program';

/** Opens a folder or directory of another machine; many systems sign in there without asking. */
const shares = new Set(
  'afp cifs dav davs fish ftps ldap ldaps nfs rsync search search-ms sftp smb webdav webdavs'.split(' '),
);

/** Starts a terminal, an editor, an installer or a tool of the system. */
const programs = new Set(
  [
    'applescript apt bash cmd cursor git help intent iterm2 itms-services jar jetbrains kitty osascript powershell putty',
    'rdp rlogin script shell shortcuts ssh steam sudo svn tel telnet terminal tn3270 vnc vscode vscode-insiders vscodium',
    'warp wtai x-apple-helpbasic x-apple.systempreferences x-man-page zed',
  ].flatMap((line) => line.split(' ')),
);
/** Windows and Office take commands by schemes of this form (`ms-msdt:`, `ms-word:`). */
const ofMicrosoft = /^ms-/;
/** Parts of a scheme of two, such as `git+ssh`. */
const partsOf = (scheme: string): string[] => [scheme, ...scheme.split('+')];

/**
 * Returns the risk of following an address: it opens a network share, or starts a program that is not an app with a
 * module to request. Undefined for any other address.
 */
export function returnRisk(uri: string): ReturnRisk | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(uri)?.[0].toLowerCase() ?? '';
  const parts = partsOf(scheme);
  if (parts.some((part) => shares.has(part))) return 'share';
  return ofMicrosoft.test(scheme) || parts.some((part) => programs.has(part)) ? 'program' : undefined;
}
