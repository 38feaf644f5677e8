/** One word of a POSIX shell's command, to be copied: in quotes where the shell would read more into it. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
