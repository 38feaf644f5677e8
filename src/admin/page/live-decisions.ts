/** What the page's script decides: whether somebody reads; apart from the browser that it does it in. */

/** Pixels: who has scrolled so far looks at something. */
const SCROLLED = 80;

export interface Attention {
  /** Pixels. */
  readonly scrolled: number;
  readonly hasSelected: boolean;
  /** Something in the page has the focus, and would move under whoever types or tabs. */
  readonly hasFocused: boolean;
}

/** Nothing may move then. */
export function isReading({ scrolled, hasSelected, hasFocused }: Attention): boolean {
  return scrolled > SCROLLED || hasSelected || hasFocused;
}

/** Enter ends what an input method composes; some browsers take it for the form's (keyCode 229). */
export function isComposing(event: { readonly isComposing: boolean; readonly keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}
