/** Texts of which a reader sees nothing. */

const INK = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/u;

/** True where a reader would see nothing: white space, controls, characters without width. */
export function isBlank(text: string): boolean {
  if (isInk(text.charCodeAt(0))) return false;
  return !INK.test(text);
}

/** Printable ASCII, kana and Chinese characters, with which most texts begin. */
function isInk(code: number): boolean {
  if (code < 0x7f) return code > 0x20;
  const isKana = (code >= 0x3041 && code <= 0x3096) || (code >= 0x30a1 && code <= 0x30fa);
  return isKana || (code >= 0x4e00 && code <= 0x9fff);
}
