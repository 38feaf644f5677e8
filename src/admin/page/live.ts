/** The page's script: refreshes the page regularly, but not while the reader is using it. */

const EVERY_MS = 5000;
const DEADLINE_MS = 30_000;

/** In pixels. A reader who has scrolled further is reading. */
const SCROLLED = 80;

function mainOf(root: Document): HTMLElement | null {
  return root.querySelector('main');
}

/** Whether the reader has filled in or focused something, scrolled, selected text or opened details. */
function isRead(main: HTMLElement): boolean {
  const selection = document.getSelection();
  const focused = document.activeElement;
  return (
    isFilledIn ||
    window.scrollY > SCROLLED ||
    (focused !== null && focused !== main && main.contains(focused)) ||
    (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode)) ||
    main.querySelector('details[open]:not(form details)') !== null
  );
}

let isFilledIn = false;
document.addEventListener('input', () => {
  isFilledIn = true;
});

/** @returns the page's current state; undefined if it cannot be fetched now */
async function pageNow(): Promise<Document | undefined> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' }, signal });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
  } catch {
    return undefined;
  }
}

function show(next: Document): void {
  const [main, fresh] = [mainOf(document), mainOf(next)];
  if (main === null || fresh === null || isRead(main)) return;
  // The server sends an action's result only once: keep it, or it would vanish before it is read.
  const result = main.querySelector('[data-once]');
  if (result !== null) fresh.prepend(result);
  main.replaceWith(fresh);
  document.title = next.title;
  const [menu, freshMenu] = [document, next].map((each) => each.querySelector('body > header nav'));
  if (menu && freshMenu && !menu.contains(document.activeElement)) menu.replaceWith(freshMenu);
}

/** What is shown is of the time beside the title. */
function saySilent(): void {
  const asOf = document.getElementById('as-of');
  if (asOf === null || asOf.classList.contains('bad')) return;
  asOf.classList.add('status', 'bad');
  asOf.prepend(`${asOf.dataset['silent'] ?? ''} `);
}

async function refresh(): Promise<void> {
  const main = mainOf(document);
  if (!document.hidden && main !== null && !isRead(main)) {
    const next = await pageNow();
    if (next === undefined) saySilent();
    else show(next);
  }
  window.setTimeout(() => void refresh(), EVERY_MS);
}

if (mainOf(document)?.dataset['still'] === 'false') window.setTimeout(() => void refresh(), EVERY_MS);
