/** What the page's script decides: whether somebody reads, and what is new; apart from the browser that it does it in. */

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

/** Of what will be shown, how much is not shown yet. */
export function countNew(shown: readonly string[], next: readonly string[]): number {
  const known = new Map<string, number>();
  for (const key of shown) known.set(key, (known.get(key) ?? 0) + 1);
  let count = 0;
  for (const key of next) {
    const left = known.get(key) ?? 0;
    if (left === 0) count += 1;
    else known.set(key, left - 1);
  }
  return count;
}

/**
 * Not what differs with every answer, such as the tokens of forms; and not how long ago something was.
 * @param html of what is shown
 */
export function comparable(html: string): string {
  return html
    .replaceAll(/<input type="hidden"[^>]*>/g, '')
    .replaceAll(/<(time|small)\b[^>]*>[^]*?<\/\1>/g, '')
    .replaceAll(/\s(?:open|hidden)(?:="")?(?=[\s>])/g, '');
}

/** Enter ends what an input method composes; some browsers take it for the form's (keyCode 229). */
export function isComposing(event: { readonly isComposing: boolean; readonly keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}
