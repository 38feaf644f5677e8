/** The page's script: refreshes the page regularly, but not while the reader is using it. */

/** In pixels. A reader who has scrolled further is reading. */
const SCROLLED = 80;

function mainOf(root: Document): HTMLElement | null {
  return root.querySelector('main');
}

/** Whether the reader has scrolled, selected text, opened details or focused something. */
function isRead(main: HTMLElement): boolean {
  const selection = document.getSelection();
  const focused = document.activeElement;
  return (
    window.scrollY > SCROLLED ||
    (focused !== null && focused !== main && main.contains(focused)) ||
    (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode)) ||
    main.querySelector('details[open]:not(form details)') !== null ||
    [...main.querySelectorAll<Control>('input, textarea, option')].some(isFilledIn)
  );
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLOptionElement;

function isFilledIn(control: Control): boolean {
  if (control instanceof HTMLOptionElement) return control.selected && !isFirst(control);
  return control.value !== control.defaultValue;
}

/** Whether the page came with it chosen. */
function isFirst(option: HTMLOptionElement): boolean {
  const chosen = option.parentElement?.querySelector('[selected]') ?? option.parentElement?.firstElementChild;
  return chosen === option;
}

/** @returns the page's current state; undefined if it cannot be fetched now */
async function pageNow(): Promise<Document | undefined> {
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
  } catch {
    return undefined;
  }
}

function show(next: Document): void {
  const [main, fresh] = [mainOf(document), mainOf(next)];
  if (main === null || fresh === null || isRead(main)) return;
  // The server sends an action's result only once: keep it, or it would vanish before it is read.
  const flash = main.querySelector('.flash');
  if (flash !== null) fresh.prepend(flash.cloneNode(true));
  if (main.textContent !== fresh.textContent) main.replaceWith(fresh);
  document.title = next.title;
  const [menu, freshMenu] = [document, next].map((each) => each.querySelector('body > header nav'));
  if (menu && freshMenu && !menu.contains(document.activeElement)) menu.replaceWith(freshMenu);
}

async function follow(everyMs: number): Promise<never> {
  for (;;) {
    await new Promise((resolve) => {
      window.setTimeout(resolve, everyMs);
    });
    const main = mainOf(document);
    if (document.hidden || main === null || isRead(main)) continue;
    const next = await pageNow();
    if (next !== undefined) show(next);
  }
}

const seconds = Number(mainOf(document)?.dataset['every'] ?? 0);
if (seconds > 0) void follow(seconds * 1000);
