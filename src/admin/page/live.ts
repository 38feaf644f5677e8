/** What the page does in a browser beside being read: it looks what has changed, and moves nothing that somebody reads. */

/** Pixels: who has scrolled so far looks at something. */
const SCROLLED = 80;

function mainOf(root: Document): HTMLElement | null {
  return root.querySelector('main');
}

/** Something is scrolled to, selected, opened or about to be typed in. */
function isRead(main: HTMLElement): boolean {
  const selection = document.getSelection();
  const focused = document.activeElement;
  return (
    window.scrollY > SCROLLED ||
    (focused !== null && focused !== main && main.contains(focused)) ||
    (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode)) ||
    main.querySelector('details[open]:not(form details)') !== null
  );
}

/** Undefined: it cannot be had now. */
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
  // What came of an action is told once, and would be gone before it is read.
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
